//! Resources: guide documents at `guide://{collection}/{document}`.

use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResult, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::{Guide, LIST_TTL_MS, Server};
use crate::args::Arguments;
use crate::toolsets::guide::content_of;

const SCHEME: &str = "guide://";
const MIME: &str = "text/plain";

/// Documents are found by template: a list of all would be stale at once.
pub(super) fn list() -> ListResourcesResult {
    ListResourcesResult::default()
}

/// The one template.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new("guide://{collection}/{document}", "guide document")
        .with_description("Documents of a category or collection of the project's guide; the document is a name, with or without extension, or a glob")
        .with_mime_type(MIME);
    ListResourceTemplatesResult {
        resource_templates: vec![template],
        ttl_ms: Some(LIST_TTL_MS),
        cache_scope: Some(CacheScope::Public),
        ..ListResourceTemplatesResult::default()
    }
}

/// The documents at one address.
pub(super) async fn read(
    server: &Server,
    guide: &Guide,
    request: ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let uri = request.uri;
    let missing = || {
        let data = Some(json!({"uri": uri}));
        ErrorData::resource_not_found(format!("resource not found: {uri}"), data)
    };
    let arguments = arguments(&uri).ok_or_else(missing)?;
    let answer = server.call(&guide.get_content, arguments, context).await?;
    let text = content_of(&answer).ok_or_else(missing)?;
    let contents = ResourceContents::text(text, uri.as_str()).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The arguments for `get_content`.
fn arguments(uri: &str) -> Option<Arguments> {
    let (collection, document) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let (collection, document) = (decoded(collection)?, decoded(document)?);
    let arguments = json!({"expression": collection, "pattern": document});
    let is_whole = !collection.is_empty() && !document.is_empty();
    arguments.as_object().filter(|_| is_whole).cloned()
}

/// Text without its percent signs.
fn decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}
