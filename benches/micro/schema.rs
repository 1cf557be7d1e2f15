//! Making the schemas of all tools, which happens when a client first asks for the list.

use mcp_filesystem::toolsets::{Examples, Toolset};

#[divan::bench(args = Toolset::ALL)]
fn all_tools(toolset: Toolset) -> usize {
    let tools = toolset.tools(Examples::LeftOut);
    let both = tools.iter().flat_map(|tool| [&tool.input, &tool.output]);
    both.map(|schema| schema.advertised().len()).sum()
}

/// The table alone: schemas are made when they are looked at.
#[divan::bench(args = Toolset::ALL)]
fn table_only(toolset: Toolset) -> usize {
    toolset.tools(Examples::LeftOut).len()
}
