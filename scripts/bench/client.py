"""A client over stdio that does nothing but send, wait and measure."""
import json
import os
import subprocess
import time


class Client:
    def __init__(self, command):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=1 << 20)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        return self.exchange(method, params)[0]

    def exchange(self, method, params):
        """The answer, and the time from sending the request to the last byte of the answer."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        line = json.dumps(request).encode() + b"\n"
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            taken = time.perf_counter() - start
            # Reading JSON is the client's own work, and is not measured.
            answer = json.loads(line)
            if answer.get("id") == self.number and "method" not in answer:
                return answer, taken
            if "id" in answer and "method" in answer:
                self.send({"jsonrpc": "2.0", "id": answer["id"], "error": {"code": -32601, "message": "no"}})

    def call(self, tool, **arguments):
        return self.called(tool, arguments)[0]

    def timed(self, tool, **arguments):
        return self.called(tool, arguments)[1]

    def called(self, tool, arguments):
        answer, taken = self.exchange("tools/call", {"name": tool, "arguments": arguments})
        assert not answer["result"].get("isError"), answer
        return answer["result"], taken

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
