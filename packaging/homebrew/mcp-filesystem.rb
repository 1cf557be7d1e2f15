# The formula builds from source: the binary is one file, and its manual page and completions come out of it.
class McpFilesystem < Formula
  desc "Filesystem an AI agent is given, over MCP: confined, atomic, fast"
  homepage "https://github.com/@OWNER@/mcp-filesystem"
  url "https://github.com/@OWNER@/mcp-filesystem/archive/refs/tags/v@VERSION@.tar.gz"
  sha256 "@SOURCE_SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"mcp-filesystem", "completions", shells: [:bash, :zsh, :fish])
    (man1/"mcp-filesystem.1").write Utils.safe_popen_read(bin/"mcp-filesystem", "man")
  end

  test do
    (testpath/"hello.txt").write "hello"
    assert_match "configuration: ok", shell_output("#{bin}/mcp-filesystem check --root-dir #{testpath}")
    assert_match version.to_s, shell_output("#{bin}/mcp-filesystem --version")
  end
end
