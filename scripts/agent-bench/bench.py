"""Replay the tasks on our server and on the reference server; count calls, bytes and failures. bench.py BINARY NODE SERVER."""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from tasks import SOURCES, TASKS

BINARY, NODE, REFERENCE = sys.argv[1:4]


def build(top):
    """The tree that every task starts from."""
    root = top / "tree"

    def write(path, content):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    body = "".join(f"    value_{n} = {n}\n" for n in range(200))
    for path in SOURCES:
        write(path, f"class Model:\n{body}" if path.endswith("models.py") else f"import os\nTIMEOUT = 30\nRETRIES = 3\n{body}")
    write("src/core/tasks.py", f"import os\n\n\ndef parse_invoice(text):\n    return text\n\n\nclass Rest:\n{body}")
    write("src/web/views.py", f"from core.tasks import parse_invoice\n\n\ndef view(body):\n    return parse_invoice(body)\n\n\nclass Rest:\n{body}")
    for name in ("models", "views"):
        write(f"tests/test_{name}.py", "def test():\n    pass\n")
    write("logs/app.log", "".join(f"2026-11-15 {'ERROR' if n % 997 == 0 else 'INFO '} line {n} of the log of the application\n" for n in range(20_000)))
    write("notes.md", "# Notes\n\n- call Ann\n")
    write("win.ini", "[app]\r\ndebug=0\r\n")
    write(".gitignore", "build/\nnode_modules/\n")
    for number in range(300):
        write(f"build/out/{number}.o", b"\0" * 100)
        write(f"node_modules/p{number}/index.js", "module.exports = 1\n")
    write("old/a.txt", "old")
    write("assets/big.bin", bytes(range(256)) * 2_000)
    write("assets/icon.png", b"\x89PNG\r\n\x1a\n" + bytes(200))
    write("assets/min.json", '{"a":"' + "x" * 900_000 + 'needle' + "y" * 900_000 + '"}')
    for side in ("left", "right"):
        write(f"{side}/1.txt", "same\n" * 400)
        write(f"{side}/2.txt", ("b4c1\n" if side == "right" else "a000\n") * 400)
    (top / "secret.txt").write_text("secret")
    sums = hashlib.sha256((root / "assets/big.bin").read_bytes()).hexdigest()
    for task in TASKS:
        if task.get("says") == "6d1a":
            task["says"] = sums
    return root


class Client:
    """A client of the handshake era over stdio: what the hosts of today are."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.next = 0
        who = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent-bench", "version": "1"}}
        self.ask("initialize", who)
        self.send({"method": "notifications/initialized"})
        self.definitions = len(json.dumps(self.ask("tools/list", {})["tools"]))

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.next and "method" not in message:
                return message.get("result") or {"isError": True, "content": [{"type": "text", "text": message["error"]["message"]}]}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def shown(result):
    """What a model is shown of an answer."""
    return "".join(block.get("text") or block.get("data") or json.dumps(block) for block in result.get("content", []))


def replay(task, calls, client, root):
    """Make the calls; what it cost, and whether the task was done."""
    size = failed = 0
    said = ""
    start = time.perf_counter()
    for name, arguments in calls:
        arguments = json.loads(json.dumps(arguments).replace('"@/', f'"{root}/'))
        result = client.ask("tools/call", {"name": name, "arguments": arguments})
        text = shown(result)
        said += text
        size += len(text.encode())
        failed += bool(result.get("isError"))
    spent = time.perf_counter() - start
    return {"calls": len(calls), "bytes": size, "failed": failed, "ms": spent * 1000, "done": done(task, root, said)}


def done(task, root, said):
    for path, content in task.get("files", {}).items():
        file = root / path
        if content is None and file.exists():
            return False
        if content is not None and (not file.is_file() or content.encode() not in file.read_bytes()):
            return False
    return task.get("says", "") in said


def side(kind, start):
    """All tasks on one server, each on a tree of its own."""
    results = []
    for task in TASKS:
        calls = task[kind]
        if calls is None:
            results.append(None)
            continue
        with tempfile.TemporaryDirectory() as directory:
            root = build(pathlib.Path(directory).resolve())
            client = Client(start(root))
            results.append({**replay(task, calls, client, root), "definitions": client.definitions})
            client.close()
    return results


def our_command(root):
    config = root.parent / "config.yaml"
    config.write_text(f'roots:\n  - name: workspace\n    path: {root}\n    allowed_tools: ["*"]\n')
    return [BINARY, "--config", str(config), "--transport", "stdio", "--log-level", "error"]


def main():
    mine, other = side("ours", our_command), side("reference", lambda root: [NODE, REFERENCE, str(root)])
    print(f"{'task':42} {'calls':>5} {'bytes':>9} {'ms':>7}   {'calls':>5} {'bytes':>9} {'ms':>7}")
    for task, left, right in zip(TASKS, mine, other):
        cells = [f"{r['calls']:>5} {r['bytes']:>9,} {r['ms']:>7.1f}{' ' if r['done'] else '!'}" if r else f"{'cannot':>23} " for r in (left, right)]
        print(f"{task['name']:42} {cells[0]}  {cells[1]}")
    both = [(left, right) for left, right in zip(mine, other) if left and right]
    for name, pairs in (("all tasks", [(r, None) for r in mine]), ("tasks that both can do", both)):
        print(f"\n{name}:")
        for label, results in (("mcp-filesystem", [p[0] for p in pairs]), ("reference", [p[1] for p in pairs if p[1]])):
            if results:
                total = {key: sum(r[key] for r in results) for key in ("calls", "bytes", "failed", "ms", "done")}
                print(f"  {label:15} {total['done']:>2} of {len(results)} done, {total['calls']} calls, {total['bytes']:,} bytes, {total['failed']} failed calls, {total['ms']:.0f} ms, definitions {results[0]['definitions']:,} bytes")
    wrong = [task["name"] for task, r in zip(TASKS, mine) if not r["done"] or r["failed"] != task.get("fails", 0)]
    print(*(f"FAILED: {name}" for name in wrong), sep="\n")
    return 1 if wrong else 0


sys.exit(main())
