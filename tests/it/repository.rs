//! What the seed asks of the repository around the server: build files and documents.

use crate::roots_list::ALL_TOOLS;
use std::path::Path;

/// The text of a file of the project.
#[track_caller]
fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A file of the project has all these words.
#[track_caller]
fn has(name: &str, words: &[&str]) {
    let text = file(name).to_lowercase();
    for word in words {
        assert!(text.contains(&word.to_lowercase()), "{name} does not mention {word:?}");
    }
}

/// Makefile and Dockerfile have the targets the seed names.
/// Ledger: C-NFR-020, C-NFR-021, C-NFR-022
#[test]
fn c_s15_build_files() {
    has("Makefile", &["\nbuild:", "\nrun:", "\ndocker-build:", "CMD"]);
    has("Dockerfile", &["FROM ", "mcp-filesystem"]);
}

/// The README introduces the server, and says how to build, run, configure and try it.
/// Ledger: C-DOC-2, C-DOC-3
#[test]
fn c_doc_1_readme() {
    has("README.md", &["mcp-filesystem", "cargo build", "--config", "allowed_tools", "roots:"]);
}

/// CLAUDE.md has the structure, the commands and a table of the tools.
/// Ledger: C-DOC-5, C-DOC-6
#[test]
fn c_doc_4_claude() {
    has("CLAUDE.md", &["mcp-filesystem", "src/", "| `"]);
    has("CLAUDE.md", &ALL_TOOLS);
}

/// The agents' document is the tool reference and the security model.
#[test]
fn c_doc_7_agent_docs() {
    has(".agent_docs/mcp-filesystem.md", &ALL_TOOLS);
    has(".agent_docs/mcp-filesystem.md", &["list_roots", "security", "allowed_tools"]);
}

/// The overview lists the features, the architecture the component and its security.
/// Ledger: C-DOC-9
#[test]
fn c_doc_8_overview_and_architecture() {
    has("docs/overview.md", &["mcp-filesystem"]);
    has("docs/architecture.md", &["mcp-filesystem", "security", "single"]);
}

/// The reference has every tool.
#[test]
fn c_doc_10_functionalities() {
    has("docs/functionalities.md", &ALL_TOOLS);
    has("docs/functionalities.md", &["list_roots"]);
}

/// The deployment page has Docker Compose, and the file is there. One instance is the design.
/// Ledger: C-NFR-024
#[test]
fn c_doc_11_deployment() {
    has("docs/deployment.md", &["docker compose", "mcp-filesystem", "single"]);
    has("docker-compose.yaml", &["mcp-filesystem"]);
}

/// Every file of this suite is declared, and every scenario of the seed has its test.
/// Ledger: C-DOC-12
#[test]
fn c_doc_12_every_scenario_has_a_test() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let files =
        std::fs::read_dir(&suite).unwrap().map(|f| f.unwrap().path()).filter(|f| f.is_file());
    let declared = file("tests/it/main.rs");
    let mut all = String::new();
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "main" || declared.contains(&format!("mod {name};")),
            "{name}.rs is not declared"
        );
        all += &std::fs::read_to_string(&path).unwrap();
    }
    for i in 1..=84 {
        assert!(all.contains(&format!("e2e_{i:03}_")), "E2E-{i:03} has no test");
    }
}
