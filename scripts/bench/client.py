"""A client over stdio that does nothing but send, wait and measure."""
import json
import os
import subprocess
import time


class Client:
    def __init__(self, command):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number and "method" not in answer:
                return answer
            if "id" in answer and "method" in answer:
                self.send({"jsonrpc": "2.0", "id": answer["id"], "error": {"code": -32601, "message": "no"}})

    def call(self, tool, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), result
        return result

    def timed(self, tool, **arguments):
        start = time.perf_counter()
        self.call(tool, **arguments)
        return time.perf_counter() - start

    def memory(self, field="VmRSS"):
        """Resident memory in MB; `VmHWM` is its peak."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith(field))
        return int(line.split()[1]) / 1024

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run_time(command, directory):
    """Wall time of a shell command."""
    start = time.perf_counter()
    subprocess.run(command, shell=True, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def by_turns(turns, *works):
    """The best time of each, taken turn by turn so that noise meets all alike."""
    best = [float("inf")] * len(works)
    for _ in range(turns):
        for at, work in enumerate(works):
            if work:
                best[at] = min(best[at], work())
    return [value if value < float("inf") else None for value in best]


def path(*parts):
    return os.path.join(*parts)
