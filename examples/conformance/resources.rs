//! The resources of the suite.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::content::PNG;

pub fn all() -> Vec<Resource> {
    vec![
        resource("test://static-text", "static text", "text/plain"),
        resource("test://static-binary", "static binary", "image/png"),
        resource("test://watched-resource", "watched resource", "text/plain"),
    ]
}

fn resource(uri: &str, name: &str, mime: &str) -> Resource {
    Resource::new(uri, name).with_description(format!("Fixture {name}")).with_mime_type(mime)
}

pub fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("test://template/{id}/data", "template")
        .with_description("Fixture template")
        .with_mime_type("application/json");
    vec![template]
}

/// What is at `uri`, if it is one of these.
pub fn read(uri: &str) -> Option<ResourceContents> {
    match uri {
        "test://static-text" => {
            let text = "This is the content of the static text resource.";
            Some(ResourceContents::text(text, uri).with_mime_type("text/plain"))
        }
        "test://static-binary" => {
            Some(ResourceContents::blob(PNG, uri).with_mime_type("image/png"))
        }
        "test://watched-resource" => {
            Some(ResourceContents::text("watched", uri).with_mime_type("text/plain"))
        }
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = format!("Data for ID: {id}");
            let text = json!({"id": id, "templateTest": true, "data": data}).to_string();
            Some(ResourceContents::text(text, uri).with_mime_type("application/json"))
        }
    }
}
