//! Completion: names of roots, paths in them, and what the guide has.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use serde_json::{Value, json};

use super::Server;
use super::address::Address;
use super::caller::Caller;
use super::files::{BY_PATH, BY_ROOT, array};
use super::resources::BY_DOCUMENT;
use crate::toolsets::guide::prompts::guide;
use crate::toolsets::{Toolset, resources};

/// What begins as the client began; nothing for what is not known.
pub(super) async fn complete(
    server: &Server,
    request: &CompleteRequestParams,
    caller: &Caller,
) -> CompletionInfo {
    let begun = request.argument.value.as_str();
    let mut values = candidates(server, request, caller).await.unwrap_or_default();
    values.retain(|value| value.starts_with(begun));
    shortened(values)
}

async fn candidates(
    server: &Server,
    request: &CompleteRequestParams,
    caller: &Caller,
) -> Option<Vec<String>> {
    let argument = &request.argument;
    let template = match &request.r#ref {
        Reference::Resource(template) => template.uri.as_str(),
        Reference::Prompt(prompt) if prompt.name == guide::NAME => BY_DOCUMENT,
        _ => return None,
    };
    Some(match (template, argument.name.as_str()) {
        (BY_ROOT, "root") => {
            server.readable(caller).into_iter().filter(|r| !r.is_empty()).collect()
        }
        (BY_ROOT, "path") => {
            let root = request.context.as_ref()?.arguments.as_ref()?.get("root")?;
            paths(server, root, &argument.value, caller).await
        }
        (BY_PATH, "path") => paths(server, "", &argument.value, caller).await,
        (BY_DOCUMENT, name) if name == "collection" || guide::ARGUMENTS.contains(&name) => {
            collections(server, caller).await
        }
        _ => return None,
    })
}

/// The paths in the directory that `begun` has come to; a directory ends with a slash.
async fn paths(server: &Server, root: &str, begun: &str, caller: &Caller) -> Vec<String> {
    let parent = begun.rsplit_once('/').map_or("", |(parent, _)| parent);
    let address = Address::new(root, parent);
    let found = server.entries(&address, caller).await.unwrap_or_default();
    let path = |child: &Value| {
        let slash = if child["directory"] == true { "/" } else { "" };
        Some(format!("{}{slash}", address.entry(child["name"].as_str()?).path))
    };
    array(&found, "entries").filter_map(path).collect()
}

/// Categories and collections of the guide.
async fn collections(server: &Server, caller: &Caller) -> Vec<String> {
    let found = server.inner_of(Toolset::Guide, resources::COLLECTIONS, json!({}), caller).await;
    let found = found.unwrap_or_default();
    array(&found, "names").filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// As many values as the protocol allows, and how many there are.
fn shortened(values: Vec<String>) -> CompletionInfo {
    let mut info = CompletionInfo::default();
    info.has_more = Some(values.len() > CompletionInfo::MAX_VALUES);
    info.total = u32::try_from(values.len()).ok();
    info.values = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    info
}
