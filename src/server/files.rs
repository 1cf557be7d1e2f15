//! Files of the roots as resources: listed and read. Every look at the disk takes the road.

use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use super::Server;
use super::address::Address;
use super::caller::Caller;
use crate::call::{Call, Turn};
use crate::limits::RESOURCES_PER_PAGE;
use crate::ops::mime;
use crate::policy::Access;
use crate::toolsets::{Toolset, inner_name, resources};

/// The templates: by root and path, or by path in the one directory.
pub(super) const BY_ROOT: &str = "mcpfs://{root}/{+path}";
pub(super) const BY_PATH: &str = "mcpfs:///{+path}";

/// A page of resources, and the cursor of the next.
pub(super) type Page = (Vec<Resource>, Option<String>);

impl Server {
    /// Whether files are served as resources at all.
    pub(super) fn has_files(&self) -> bool {
        self.has_files_of(Toolset::Roots) || self.has_files_of(Toolset::Files)
    }

    fn has_files_of(&self, toolset: Toolset) -> bool {
        self.service.registry.has_resources(toolset)
    }

    /// The names of the roots whose files the caller may read; empty for the one directory.
    pub(super) fn readable(&self, caller: &Caller) -> Vec<String> {
        let mut names = Vec::new();
        let policy = &self.service.policy;
        let home = policy.admit_home(&caller.principal, "read", &["read_file"], Access::Read);
        if self.has_files_of(Toolset::Files) && home.is_ok() {
            names.push(String::new());
        }
        if self.has_files_of(Toolset::Roots) {
            let roots = policy.roots_of(&caller.principal);
            let readable = roots.filter(|granted| {
                granted.allowed_for(&caller.principal).any(|tool| tool == "read_file")
            });
            names.extend(readable.map(|granted| granted.root().name().to_owned()));
        }
        names
    }

    /// Whether the files of a root may be listed to the caller.
    fn may_list(&self, root: &str, caller: &Caller) -> bool {
        let (policy, principal) = (&self.service.policy, &caller.principal);
        let admitted = match root {
            "" => policy.admit_home(principal, "list", &["list_folder"], Access::Read),
            root => policy.admit(principal, root, "glob", Access::Read),
        };
        admitted.is_ok()
    }

    /// Do one of the operations behind the resources; `Err` is the sentence of its failure.
    pub(super) async fn inner(
        &self,
        operation: &str,
        root: &str,
        mut arguments: Value,
        caller: &Caller,
    ) -> Result<Value, String> {
        let toolset = if root.is_empty() { Toolset::Files } else { Toolset::Roots };
        arguments["root"] = root.into();
        self.inner_of(toolset, operation, arguments, caller).await
    }

    /// Do one of the operations of a toolset; `Err` is the sentence of its failure.
    pub(super) async fn inner_of(
        &self,
        toolset: Toolset,
        operation: &str,
        arguments: Value,
        caller: &Caller,
    ) -> Result<Value, String> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.answered(caller.call(inner_name(toolset, operation), arguments)).await
    }

    /// What the call of an operation gives; `Err` is the sentence of its failure.
    pub(super) async fn answered(&self, call: Call) -> Result<Value, String> {
        let Some(Turn::Done(answer)) = self.service.call(call).await else {
            return Err("there are no such resources".to_owned());
        };
        let value: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        if !answer.is_error {
            return Ok(value);
        }
        let inside = value.pointer("/error/message").and_then(Value::as_str);
        Err(inside.map_or(answer.text.clone(), str::to_owned))
    }

    /// The page of the list behind `cursor`.
    pub(super) async fn list_files(
        &self,
        cursor: Option<&str>,
        caller: &Caller,
    ) -> Result<Page, ErrorData> {
        let start = cursor.filter(|cursor| !cursor.is_empty()).map(Address::parse);
        let start = start.map(|start| start.ok_or_else(unknown_cursor)).transpose()?;
        let start = start.unwrap_or_default();
        let roots = self.readable(caller).into_iter().filter(|root| *root >= start.root);
        let mut page = Vec::new();
        for root in roots {
            // A root is begun where it and a file of it find room: its own address says that it is not begun yet.
            if page.len() as u64 + 2 > RESOURCES_PER_PAGE {
                return Ok((page, Some(Address::new(&root, "").uri())));
            }
            let after = if root == start.root { start.path.as_str() } else { "" };
            if after.is_empty() {
                page.push(directory(&Address::new(&root, "")));
            }
            // A root whose files may be read but not searched is not listed.
            if !self.may_list(&root, caller) {
                continue;
            }
            let room = RESOURCES_PER_PAGE - page.len() as u64;
            let wanted = json!({"after": after, "most": room});
            let found = self.inner(resources::LIST, &root, wanted, caller).await;
            let found = found.map_err(|sentence| not_listed(&root, &sentence))?;
            page.extend(array(&found, "files").filter_map(|found| file(&root, found)));
            if found["more"] == true {
                let next = page.last().map(|last| last.uri.clone());
                return Ok((page, next));
            }
        }
        Ok((page, None))
    }

    /// What is at `address`: a file, or the list of a directory.
    pub(super) async fn read_file(
        &self,
        address: &Address,
        uri: &str,
        caller: &Caller,
    ) -> Result<ResourceContents, String> {
        let path = json!({"path": address.place()});
        let mut found = self.inner(resources::READ, &address.root, path, caller).await?;
        let contents = match (found["text"].take(), found["blob"].take()) {
            (Value::String(text), _) => ResourceContents::text(text, uri),
            (_, Value::String(blob)) => ResourceContents::blob(blob, uri),
            _ => ResourceContents::text(self.children(address, caller).await?, uri),
        };
        Ok(contents.with_mime_type(found["mime_type"].as_str().unwrap_or_default()))
    }

    /// The entries of a directory as resources, in JSON.
    async fn children(&self, address: &Address, caller: &Caller) -> Result<String, String> {
        let found = self.entries(address, caller).await?;
        let children = array(&found, "entries").filter_map(|child| {
            let address = address.entry(child["name"].as_str()?);
            let resource = match child["directory"] == true {
                true => directory(&address),
                false => described(&address, child["size"].as_u64()),
            };
            serde_json::to_value(resource).ok()
        });
        Ok(Value::Array(children.collect()).to_string())
    }

    /// The entries of a directory.
    pub(super) async fn entries(
        &self,
        address: &Address,
        caller: &Caller,
    ) -> Result<Value, String> {
        let path = json!({"path": address.place()});
        self.inner(resources::DIRECTORY, &address.root, path, caller).await
    }

    /// The templates of what is served.
    pub(super) fn file_templates(&self) -> Vec<ResourceTemplate> {
        let template = |uri: &str, what: &str| {
            ResourceTemplate::new(uri, "file").with_description(format!(
                "A file by its path from {what}: text, or bytes in base64; a directory gives the list of its entries"
            ))
        };
        let mut templates = Vec::new();
        if self.has_files_of(Toolset::Files) {
            templates.push(template(BY_PATH, "the directory of the server"));
        }
        if self.has_files_of(Toolset::Roots) {
            templates.push(template(BY_ROOT, "a root"));
        }
        templates
    }
}

fn unknown_cursor() -> ErrorData {
    ErrorData::invalid_params("unknown cursor: ask for the list without one", None)
}

/// A list without a root that should be in it would be wrong without a sign of it.
fn not_listed(root: &str, sentence: &str) -> ErrorData {
    let which = if root.is_empty() { String::new() } else { format!(" of root {root}") };
    ErrorData::internal_error(format!("the files{which} can not be listed: {sentence}"), None)
}

/// The items under `key`.
pub(super) fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn file(root: &str, found: &Value) -> Option<Resource> {
    Some(described(&Address::new(root, found["path"].as_str()?), found["size"].as_u64()))
}

fn described(address: &Address, size: Option<u64>) -> Resource {
    let mut resource = Resource::new(address.uri(), address.name());
    resource.title = Some(address.path.clone());
    resource.mime_type = mime::of_name(&address.path).map(str::to_owned);
    resource.size = size;
    resource
}

fn directory(address: &Address) -> Resource {
    Resource::new(address.uri(), address.name()).with_mime_type(mime::DIRECTORY)
}
