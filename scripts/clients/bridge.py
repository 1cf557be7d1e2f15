"""Drive the bridge with the official Python client: both eras, both transports, a sampling callback.

    pip install mcp==2.3.0
    python scripts/clients/bridge.py target/debug/mcp-filesystem

Ends with exit code 0 when every expectation held.
"""

import asyncio
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")

import mcp_types as types  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

CONFIG = """\
toolsets: [guide]
root_dir: {root}
sampling: {{timeout_seconds: 2}}
"""


class Agent:
    """An agent with a few files, and the questions it was asked."""

    def __init__(self):
        self.asked = []
        self.client = None

    async def sample(self, _context, params):
        text = params.messages[0].content.text
        self.asked.append(text)
        path = re.search(r"'([^']+)' on your filesystem", text).group(1)
        return types.CreateMessageResult(
            role="assistant",
            model="script",
            stop_reason="endTurn",
            content=types.TextContent(type="text", text=await self.answer(path, text)),
        )

    async def answer(self, path, text):
        if path == "docs":
            nested = [{"name": "x.png", "type": "file", "size": 3}]
            entries = [{"name": "a.md", "type": "file"}, {"name": "img", "type": "directory"}]
            if "recursively, with" in text:
                entries[1]["children"] = nested
            return json.dumps(entries)
        if path == "docs/logo.png":
            return json.dumps({"content": base64.b64encode(bytes(range(256))).decode(), "encoding": "base64"})
        if path == "docs/missing.md":
            return json.dumps({"error": "no such file", "error_type": "file_not_found"})
        if path == "docs/secret.md":
            return json.dumps({"error": "EACCES", "error_type": "permission_denied"})
        if path == "docs/slow.md":
            await asyncio.sleep(4)
            return "too late"
        if path == "docs/pushed.md":
            await self.client.call_tool("guide_cache_file", {"path": path, "content": "pushed"})
            return "CACHED"
        return f"content of {path}"


async def call(client, tool, **arguments):
    result = await client.call_tool(f"guide_{tool}", arguments)
    return result.structured_content


def expect(what, actual, wanted):
    if actual != wanted:
        raise SystemExit(f"{what}: expected {wanted!r}, got {actual!r}")


async def with_sampling(transport, mode):
    agent = Agent()
    async with Client(transport, mode=mode, sampling_callback=agent.sample) as client:
        agent.client = client
        told = await call(client, "request_file", path="docs/a.md")
        expect("read", (told["value"]["content"], told["value"]["source"]), ("content of docs/a.md", "agent"))
        told = await call(client, "request_file", path="docs/a.md")
        expect("cached", told["value"]["source"], "cache")
        expect("asked once", len(agent.asked), 1)
        told = await call(client, "request_directory", path="docs")
        expect("list", [entry["name"] for entry in told["value"]["entries"]], ["a.md", "img"])
        told = await call(client, "request_directory", path="docs", recursive=True)
        expect("recursive", told["value"]["entries"][1]["children"][0]["path"], "docs/img/x.png")
        told = await call(client, "request_file", path="docs/logo.png", binary=True)
        expect("binary", base64.b64decode(told["value"]["content"]), bytes(range(256)))
        told = await call(client, "request_file", path="docs/pushed.md")
        expect("pushed", (told["value"]["content"], told["value"]["source"]), ("pushed", "agent"))
        told = await call(client, "request_file", path="docs/missing.md")
        expect("not found", (told["success"], told["error_type"]), (False, "not_found"))
        told = await call(client, "request_file", path="docs/secret.md")
        expect("denied", told["error_data"]["code"], "permission_denied")
        asked = len(agent.asked)
        told = await call(client, "request_file", path="/etc/passwd")
        expect("security", (told["error_type"], len(agent.asked)), ("security", asked))
        told = await call(client, "request_file", path="docs/slow.md")
        expect("timeout", (told["error_type"], told["exception_type"]), ("timeout", "TimeoutError"))
        version = client.protocol_version
    return version


async def without_sampling(transport, mode):
    async with Client(transport, mode=mode) as client:
        told = await call(client, "request_file", path="docs/a.md")
        expect("unsupported", told["error_type"], "unsupported")
        expect("alternatives", all(w in told["instruction"] for w in ("guide_cache_file", "resource")), True)


def serve_http(binary, config):
    command = [binary, "--config", config, "--transport", "http", "--host", "127.0.0.1", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        said = json.loads(line)
        if said["msg"] == "listening":
            return server, f"http://{said['address']}/mcp"
    raise SystemExit("the server did not start")


async def main(binary):
    for mode in ["legacy", "2026-07-28"]:
        for kind in ["stdio", "http"]:
            for scenario in [with_sampling, without_sampling]:
                with tempfile.TemporaryDirectory() as root:
                    config = pathlib.Path(root, "config.yaml")
                    config.write_text(CONFIG.format(root=root))
                    started, server = time.monotonic(), None
                    if kind == "stdio":
                        arguments = ["--config", str(config), "--transport", "stdio"]
                        transport = stdio_client(StdioServerParameters(command=binary, args=arguments))
                    else:
                        server, address = serve_http(binary, str(config))
                        transport = streamable_http_client(address)
                    try:
                        version = await asyncio.wait_for(scenario(transport, mode), 60)
                    finally:
                        if server:
                            server.kill()
                    print(f"ok {scenario.__name__} {kind} {version or mode} {time.monotonic() - started:.1f}s", flush=True)


asyncio.run(main(sys.argv[1]))
