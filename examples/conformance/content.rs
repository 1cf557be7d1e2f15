//! Tools that answer with more than text.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// One red pixel.
pub const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all.
pub const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The answer of the tool `name`, if it is one of these.
pub fn answer(name: &str) -> Option<CallToolResult> {
    let blocks = match name {
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![embedded()],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            mixed(),
        ],
        "json_schema_2020_12_tool" | "test_reconnection" | "test_with_header" => {
            vec![ContentBlock::text("done")]
        }
        _ => return None,
    };
    Some(CallToolResult::success(blocks))
}

fn embedded() -> ContentBlock {
    let text = "This is an embedded resource content.";
    ContentBlock::resource(
        ResourceContents::text(text, "test://embedded-resource").with_mime_type("text/plain"),
    )
}

fn mixed() -> ContentBlock {
    let text = r#"{"test":"data","value":123}"#;
    ContentBlock::resource(
        ResourceContents::text(text, "test://mixed-content-resource")
            .with_mime_type("application/json"),
    )
}
