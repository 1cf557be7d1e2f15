//! Resources: files of the roots, and guide documents at `guide://{collection}/{document}`.

use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResult, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::address::{Address, decoded};
use super::{LIST_TTL_MS, Server};
use crate::args::Arguments;
use crate::toolsets::guide::content_of;

const SCHEME: &str = "guide://";
/// The template of guide documents.
pub(super) const BY_DOCUMENT: &str = "guide://{collection}/{document}";
const MIME: &str = "text/plain";

/// A page of the files. Documents are found by template: a list of all would be stale at once.
pub(super) async fn list(
    server: &Server,
    page: Option<PaginatedRequestParams>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let (resources, next_cursor) =
        server.list_files(cursor.as_deref(), &server.caller(context).await).await?;
    let is_stateless = context.protocol_version().is_some_and(|version| !version.has_initialize());
    if server.has_files() && !is_stateless {
        server.subscribers.follow_list(server, context).await;
    }
    Ok(ListResourcesResult { resources, next_cursor, ..ListResourcesResult::default() })
}

/// The templates.
pub(super) fn templates(server: &Server) -> ListResourceTemplatesResult {
    let mut resource_templates = server.file_templates();
    resource_templates.extend(server.guide.as_ref().map(|_| document_template()));
    ListResourceTemplatesResult {
        resource_templates,
        ttl_ms: Some(LIST_TTL_MS),
        cache_scope: Some(CacheScope::Public),
        ..ListResourceTemplatesResult::default()
    }
}

fn document_template() -> ResourceTemplate {
    ResourceTemplate::new(BY_DOCUMENT, "guide document")
        .with_description("Documents of a category or collection of the project's guide; the document is a name, with or without extension, or a glob")
        .with_mime_type(MIME)
}

/// What is at one address.
pub(super) async fn read(
    server: &Server,
    request: ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let uri = request.uri.as_str();
    let found = match Address::parse(uri) {
        Some(address) => {
            let found = server.read_file(&address, uri, &server.caller(context).await).await;
            found.map_err(|sentence| missing(uri, sentence))
        }
        None => document(server, uri, context).await,
    };
    Ok(ReadResourceResult::new(vec![found?]))
}

fn missing(uri: &str, sentence: String) -> ErrorData {
    ErrorData::resource_not_found(sentence, Some(json!({"uri": uri})))
}

/// The documents at one address.
async fn document(
    server: &Server,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ResourceContents, ErrorData> {
    let missing = || missing(uri, format!("resource not found: {uri}"));
    let guide = server.guide.as_ref().ok_or_else(missing)?;
    let arguments = arguments(uri).ok_or_else(missing)?;
    let answer = server.call(&guide.get_content, arguments, context).await?;
    let text = content_of(&answer).ok_or_else(missing)?;
    Ok(ResourceContents::text(text, uri).with_mime_type(MIME))
}

/// The arguments for `get_content`.
fn arguments(uri: &str) -> Option<Arguments> {
    let (collection, document) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let (collection, document) = (decoded(collection)?, decoded(document)?);
    let arguments = json!({"expression": collection, "pattern": document});
    let is_whole = !collection.is_empty() && !document.is_empty();
    arguments.as_object().filter(|_| is_whole).cloned()
}
