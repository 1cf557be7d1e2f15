"""64 clients over HTTP, the load made by wrk, against the reference SDK's server that answers a constant."""
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

import peers

SECONDS = 5
SERVER = """
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
createServer(async (request, response) => {
  const server = new McpServer({ name: "constant", version: "1" });
  server.registerTool("read_file", { description: "constant" }, async () => ({ content: [{ type: "text", text: "hello" }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => { transport.close(); server.close(); });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(process.argv[2]), "127.0.0.1");
"""


def compare():
    if not peers.debian("wrk", "wrk"):
        return 0.0, None
    home = tempfile.mkdtemp()
    with open(os.path.join(home, "small.txt"), "w") as file:
        file.write("hello\n" * 20)
    config = os.path.join(home, "http.yaml")
    with open(config, "w") as file:
        file.write(f"host: 127.0.0.1\nport: 18451\nroots:\n  - {{name: r, path: {home}, allowed_tools: ['*']}}\n")
    ours = rate([peers.OURS, "--config", config, "--log-level", "error"], 18451, modern=True)
    if not peers.npm("@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/sdk/package.json"):
        return ours, None
    script = os.path.join(peers.CACHE, "npm", "constant.mjs")
    with open(script, "w") as file:
        file.write(SERVER)
    return ours, rate(["node", script, "18452"], 18452, modern=False)


def rate(command, port, modern):
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        return max(load(port, modern) for _ in range(2))
    finally:
        server.terminate()
        server.wait()


def wait_for(port):
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)


def load(port, modern):
    params = {"name": "read_file", "arguments": {"root": "r", "path": "small.txt"}}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if modern:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "read_file"}
    else:
        params["arguments"] = {}
        headers |= {"mcp-protocol-version": "2025-06-18"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    script = os.path.join(tempfile.mkdtemp(), "load.lua")
    with open(script, "w") as file:
        file.write("wrk.method = 'POST'\nwrk.body = [[" + body + "]]\n")
        file.writelines(f"wrk.headers['{name}'] = '{value}'\n" for name, value in headers.items())
    command = ["wrk", "-t", "1", "-c", "64", "-d", f"{SECONDS}s", "-s", script, f"http://127.0.0.1:{port}/mcp"]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "Non-2xx" not in printed, printed
    return float(re.search(r"Requests/sec:\s+([\d.]+)", printed).group(1))
