//! What to paste into a host's configuration so that it starts this server on a directory.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::sandbox::Root;

/// The name of the server in the host's configuration.
const NAME: &str = "filesystem";

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Visual Studio Code.
    Vscode,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
    /// Codex.
    Codex,
}

impl Host {
    /// Where the entry belongs.
    pub fn place(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => {
                "claude_desktop_config.json (Settings > Developer > Edit Config): ~/Library/Application Support/Claude/ on macOS, %APPDATA%\\Claude\\ on Windows, ~/.config/Claude/ on Linux"
            }
            Self::ClaudeCode => ".mcp.json in the project's directory",
            Self::Vscode => {
                ".vscode/mcp.json in the workspace, or the user's mcp.json (command: MCP: Open User Configuration)"
            }
            Self::Cursor => ".cursor/mcp.json in the project's directory, or ~/.cursor/mcp.json",
            Self::Zed => {
                "settings.json (command: zed: open settings file): ~/.config/zed/ on macOS and Linux"
            }
            Self::Codex => "~/.codex/config.toml",
        }
    }

    /// The entry for the server `binary` on `directory`.
    pub fn entry(self, binary: &Path, directory: &Path) -> String {
        let (command, directory) = (binary.to_string_lossy(), directory.to_string_lossy());
        let args = json!(["--root-dir", directory]);
        let plain = json!({"command": command, "args": args});
        let typed = json!({"type": "stdio", "command": command, "args": args});
        match self {
            Self::ClaudeDesktop | Self::Cursor => pretty(&json!({"mcpServers": {NAME: plain}})),
            Self::ClaudeCode => pretty(&json!({"mcpServers": {NAME: typed}})),
            Self::Vscode => pretty(&json!({"servers": {NAME: typed}})),
            Self::Zed => pretty(&json!({"context_servers": {NAME: plain}})),
            // A string of JSON is a basic string of TOML.
            Self::Codex => {
                format!("[mcp_servers.{NAME}]\ncommand = {}\nargs = {args}", plain["command"])
            }
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

/// The absolute path of a directory that is there.
pub fn directory(path: &Path) -> Result<PathBuf, String> {
    let root = Root::open("", path, &[])
        .map_err(|error| format!("cannot open the directory {}: {error}", path.display()))?;
    Ok(root.host_path().to_path_buf())
}
