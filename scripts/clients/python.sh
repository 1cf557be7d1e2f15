# The official Python SDK, pinned, under .cache/python. Sourced by the scripts that need it.

PYTHON=.cache/python/bin/python

# Install it if it is missing, or if the environment was made elsewhere.
python_ready() {
  local wanted=2.3.0
  "$PYTHON" -c "import importlib.metadata as m, sys; sys.exit(m.version('mcp') != '$wanted')" 2> /dev/null && return
  rm -rf .cache/python
  python3 -m venv .cache/python
  "$PYTHON" -m pip install --quiet "mcp==$wanted" >&2
}
