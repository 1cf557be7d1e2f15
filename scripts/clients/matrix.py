"""Run every client over every transport in every era it knows, and print what worked. matrix.py BINARY."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
BINARY = str(pathlib.Path(sys.argv[1]).resolve())
NODE, MODULES = os.environ["NODE"], os.environ["MODULES"]
# What the root holds.
FILES = {"hello.txt", "watched.txt", "searched", ".copied", "hole"}
CHECKS = ["list", "call", "error", "progress", "cancel", "resource", "subscribe", "roots"]
CLIENTS = {
    "python 2.3.0": ([sys.executable, HERE / "python_sdk.py"], ["legacy", "modern"]),
    "typescript 2.4.0": ([NODE, HERE / "typescript_2.mjs"], ["legacy", "modern"]),
    "typescript 1.32.2": ([NODE, HERE / "typescript_1.mjs"], ["legacy"]),
}
CONFIG = """\
host: 127.0.0.1
roots:
  - name: workspace
    path: {root}
    allowed_tools: ["*"]
"""
# A search without a match.
PATTERN = r"\w{5,}\s+\w+\s+\d{7}x"
# Names of small files to copy, and bytes of a hole to hash: more than any client will wait for.
COPIED, HOLE = 120_000, 1 << 38


def tree(root):
    """A small file, a watched file, and endless work on little disk: few files under many names, and a hole."""
    (root / "hello.txt").write_text("hello\n")
    (root / "watched.txt").write_text("before\n")
    large = "the quick brown fox jumps over the lazy dog 1234567\n" * 320_000
    many_names(root / "searched", large, 1_000)
    # Behind a dot they do not fill the first page of the resources.
    many_names(root / ".copied", "a small file\n", COPIED)
    with (root / "hole").open("wb") as hole:
        hole.truncate(HOLE)


def many_names(directory, content, names):
    """One file under many names; no filesystem gives a file as many as it likes."""
    directory.mkdir()
    for number in range(names):
        path = directory / str(number)
        if number % 30_000 == 0:
            path.write_text(content)
            first = path
        else:
            os.link(first, path)


def search(**more):
    return ["grep", {"root": "workspace", "path": "searched", "pattern": PATTERN, "max_results": 10, **more}]


# Work that only a cancellation ends.
ENDLESS = [
    search(),
    ["copy", {
        "source_root": "workspace", "source_path": ".copied", "dest_root": "workspace", "dest_path": "cancelled",
    }],
    ["hash_file", {"root": "workspace", "path": "hole", "algorithm": "sha256"}],
]


def plan(config, log, url, transport, era):
    command = [BINARY, "--config", str(config), "--transport", "stdio", "--log-file", str(log)]
    return {
        "transport": transport,
        "era": era,
        "command": command,
        "url": url,
        "tools": ["list_roots", "read_file", "grep", "hash_file"],
        "call": ["read_file", {"root": "workspace", "path": "hello.txt"}],
        "content": "hello\n",
        "error": ["read_file", {"root": "workspace", "path": "missing.txt"}],
        "sentence": "file not found: missing.txt",
        "long": search(timeout_seconds=1),
        "endless": ENDLESS,
        "folder": f"file://{config.parent}/root/searched",
        "inside": ["stat_file", {"root": "workspace", "path": "searched/0"}],
        "uri": "mcpfs://workspace/hello.txt",
        "watched": "mcpfs://workspace/watched.txt",
        "write": [
            "write_file",
            {"root": "workspace", "path": "watched.txt", "content": "after\n", "mode": "overwrite"},
        ],
    }


def run(command, wanted):
    done = subprocess.run(
        [*map(str, command), json.dumps(wanted)], capture_output=True, text=True, timeout=300
    )
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return dict.fromkeys(CHECKS, (done.stderr or done.stdout).strip()[-400:] or "no output")


def inspector(wanted):
    """The Inspector's command line: one request per run, so nothing to watch or to cancel."""
    era = ["--protocol-era", wanted["era"]]
    target = wanted["command"] if wanted["transport"] == "stdio" else [wanted["url"]]

    def ask(*arguments):
        separator = ["--"] if wanted["transport"] == "stdio" else []
        command = [NODE, f"{MODULES}/@modelcontextprotocol/inspector/clients/launcher/build/index.js"]
        command += ["--cli", *era, "--format", "json", *arguments, *separator, *target]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout

    def tool(what):
        name, arguments = what
        return ask("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))

    def holds(text, *parts):
        return "ok" if all(part in text for part in parts) else text[-300:] or "no output"

    return {
        "list": holds(ask("--method", "tools/list"), '"read_file"', '"grep"'),
        "call": holds(tool(wanted["call"]), '"hello\\n"'),
        "error": holds(tool(wanted["error"]), wanted["sentence"], '"isError"'),
        "progress": "-",
        "cancel": "-",
        "resource": holds(ask("--method", "resources/read", "--uri", wanted["uri"]), '"hello\\n"'),
        "subscribe": "-",
        "roots": "-",
    }


def cancelled(log):
    """How many calls the server says were cancelled."""
    return log.read_text().count('"code":"cancelled"') if log.exists() else 0


def cells(name, wanted, root, log):
    before = cancelled(log)
    outcome = inspector(wanted) if name.startswith("inspector") else run(CLIENTS[name][0], wanted)
    if outcome["progress"] == outcome["cancel"] == "ok":
        # Each endless work was begun twice.
        outcome["cancel"] = stopped(root, log, before + 2 * len(ENDLESS))
    return outcome


def stopped(root, log, expected):
    """Whether the server stopped every call that was cancelled, and left nothing half done."""
    until = time.monotonic() + 20
    while cancelled(log) < expected:
        if time.monotonic() > until:
            return f"the server went on with {expected - cancelled(log)} calls"
        time.sleep(0.05)
    left = {entry.name for entry in root.iterdir()} - FILES
    return f"left behind: {left}" if left else "ok"


def main():
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        root, config, log = work / "root", work / "config.yaml", work / "log"
        root.mkdir()
        tree(root)
        config.write_text(CONFIG.format(root=root))
        command = [BINARY, "--config", str(config), "--port", "0", "--log-file", str(log)]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            sys.exit(matrix(root, config, log, address(server)))
        finally:
            server.terminate()


def address(server):
    for line in server.stderr:
        found = re.search(r'"address":"([^"]+)"', line)
        if found:
            # What follows goes to the log file too: nobody reads the pipe.
            server.stderr.close()
            return found[1]
    sys.exit("the server did not start")


def matrix(root, config, log, address):
    rows, failures = [], []
    eras = {name: eras for name, (_, eras) in CLIENTS.items()} | {"inspector 2.12.0": ["legacy", "modern"]}
    for name, transport, era in [(n, t, e) for n, es in eras.items() for t in ("stdio", "http") for e in es]:
        wanted = plan(config, log, f"http://{address}/mcp", transport, era)
        outcome = cells(name, wanted, root, log)
        rows.append((name, transport, era, *(outcome.get(check, "?") for check in CHECKS)))
        failures += [f"{name} {transport} {era} {c}: {o[:300]}" for c, o in outcome.items() if o not in ("ok", "-")]
    print(f"{'client':18} {'over':6} {'era':7} " + " ".join(f"{check:9}" for check in CHECKS))
    for name, transport, era, *outcomes in rows:
        shown = " ".join(f"{o if o in ('ok', '-') else 'FAILED':9}" for o in outcomes)
        print(f"{name:18} {transport:6} {era:7} {shown}")
    print(*failures, sep="\n", end="\n" if failures else "")
    return 1 if failures else 0


main()
