//! The `guide` toolset: files on the agent's side, flags and guide documents.
//!
//! How a tool of this set is written and described: `README.md` beside this file.

mod cache_file;
mod cache_stats;
mod consent;
mod create_document;
mod declared;
mod delete_document;
mod describe;
mod entries;
mod example_tool;
mod flag;
mod get_content;
mod get_feature_flag;
mod get_project_flag;
mod list_directory;
mod list_feature_flags;
mod list_project_flags;
pub mod prompts;
mod pushed;
mod read_file;
mod request_directory;
mod request_file;
mod result;
mod set_feature_flag;
mod set_project_flag;
mod update_document;

use serde_json::Value;

use super::{Definition, Examples};
use crate::args::Arguments;
pub use declared::Declared;
pub use describe::{Described, Example};
pub use get_content::content_of;
pub use result::{Told, failure};

/// Every tool of the set, in the order of the reference.
pub fn tools(examples: Examples) -> Vec<Definition> {
    let declared = Declared::default();
    declared.declare(describe::define::<get_content::GetContent>());
    declare_flags(&declared);
    declare_documents(&declared);
    declare_agent_files(&declared);
    if examples == Examples::Included {
        declared.declare(describe::define::<example_tool::ExampleTool>());
    }
    declared.take()
}

fn declare_agent_files(declared: &Declared) {
    declared.declare(describe::define::<cache_file::CacheFile>());
    declared.declare(describe::define::<list_directory::ListDirectory>());
    declared.declare(describe::define::<read_file::ReadFile>());
    declared.declare(describe::define::<request_file::RequestFile>());
    declared.declare(describe::define::<request_directory::RequestDirectory>());
    declared.declare(describe::define::<cache_stats::CacheStats>());
}

fn declare_flags(declared: &Declared) {
    declared.declare(describe::define::<set_project_flag::SetProjectFlag>());
    declared.declare(describe::define::<get_project_flag::GetProjectFlag>());
    declared.declare(describe::define::<list_project_flags::ListProjectFlags>());
    declared.declare(describe::define::<set_feature_flag::SetFeatureFlag>());
    declared.declare(describe::define::<get_feature_flag::GetFeatureFlag>());
    declared.declare(describe::define::<list_feature_flags::ListFeatureFlags>());
}

fn declare_documents(declared: &Declared) {
    declared.declare(describe::define::<create_document::CreateDocument>());
    declared.declare(describe::define::<update_document::UpdateDocument>());
    declared.declare(describe::define::<delete_document::DeleteDocument>());
}

/// Arguments without the wrapper that some clients put around them: a lone `{"args": {...}}`.
pub fn unwrapped(mut arguments: Arguments) -> Arguments {
    let is_wrapper = arguments.len() == 1 && arguments.get("args").is_some_and(Value::is_object);
    match arguments.get_mut("args").filter(|_| is_wrapper).map(Value::take) {
        Some(Value::Object(inner)) => inner,
        _ => arguments,
    }
}
