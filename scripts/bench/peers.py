"""Those we are measured against: found on the machine, or installed into the cache folder."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.path.join(PROJECT, ".cache", "bench")
OURS = os.path.join(PROJECT, "target", "release", "mcp-filesystem")


def quiet(*command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **options).returncode == 0


def debian(program, package):
    """A program of a Debian package, or None."""
    if not shutil.which(program):
        quiet("apt-get", "update", "-qq")
        quiet("apt-get", "install", "-y", "-qq", package)
    return shutil.which(program)


def npm(package, entry):
    """The entry file of an npm package, or None."""
    home = os.path.join(CACHE, "npm")
    path = os.path.join(home, "node_modules", entry)
    if not os.path.exists(path) and shutil.which("npm"):
        os.makedirs(home, exist_ok=True)
        quiet("npm", "install", "--silent", "--prefix", home, package)
    return path if os.path.exists(path) else None


def reference_server():
    """The reference server as a command on a directory, or None."""
    entry = npm("@modelcontextprotocol/server-filesystem@2026.8.31", "@modelcontextprotocol/server-filesystem/dist/index.js")
    return (lambda directory: ["node", entry, directory]) if entry else None


def rust_server():
    """rust-mcp-filesystem as a command on a directory, or None."""
    path = os.path.join(CACHE, "cargo", "bin", "rust-mcp-filesystem")
    if not os.path.exists(path):
        quiet("cargo", "install", "--quiet", "--locked", "--root", os.path.join(CACHE, "cargo"), "rust-mcp-filesystem@0.4.5")
    return (lambda directory: [path, "--allow-write", directory]) if os.path.exists(path) else None


def our_server(directory):
    """Our server over stdio on a directory, as root `r`."""
    config = os.path.join(CACHE, "config.yaml")
    os.makedirs(CACHE, exist_ok=True)
    with open(config, "w") as file:
        file.write(f"host: 127.0.0.1\nroots:\n  - {{name: r, path: {directory}, allowed_tools: ['*']}}\n")
    return [OURS, "--config", config, "--transport", "stdio", "--log-level", "error"]
