"""Check the rendered server.json against what the registry asks, and against the bundle beside it. check.py DIST."""

import hashlib
import json
import pathlib
import re
import sys

dist = pathlib.Path(sys.argv[1])
server = json.loads((dist / "server.json").read_text())
manifest = json.loads((dist / "bundle" / "manifest.json").read_text())
version = server["version"]

assert set(server) == {"$schema", "name", "title", "description", "version", "repository", "packages"}
assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"]) and 3 <= len(server["name"]) <= 200
assert 1 <= len(server["description"]) <= 100, len(server["description"])
assert 1 <= len(server["title"]) <= 100
assert re.fullmatch(r"\d+\.\d+\.\d+", version) and version == manifest["version"]
assert server["repository"]["source"] == "github"
for package in server["packages"]:
    assert {"registryType", "identifier", "transport"} <= set(package)
    assert package["transport"] == {"type": "stdio"}
    for argument in package.get("packageArguments", []) + package.get("runtimeArguments", []):
        assert argument["type"] == "named" and argument["name"].startswith("--")
    assert "runtimeHint" in package or "runtimeArguments" not in package
bundle = server["packages"][0]
assert bundle["fileSha256"] == hashlib.sha256((dist / "mcp-filesystem.mcpb").read_bytes()).hexdigest()
assert bundle["identifier"].endswith(f"/v{version}/mcp-filesystem.mcpb")
assert "@" not in server["name"] + manifest["author"]["name"]
