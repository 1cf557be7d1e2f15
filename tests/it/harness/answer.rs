//! What a tool call came back with, and the envelope it must keep.

use serde_json::Value;

/// The result of one `tools/call`.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The tool that was called.
    pub tool: String,
    /// `isError`, absent meaning false.
    pub is_error: bool,
    /// The text of the only content block.
    pub text: String,
    /// `structuredContent`, if there is one.
    pub structured: Option<Value>,
    /// The whole result.
    pub raw: Value,
}

impl Answer {
    /// Read a `tools/call` result: exactly one content block, of type text.
    #[track_caller]
    pub fn new(tool: &str, raw: Value) -> Self {
        let blocks =
            raw["content"].as_array().unwrap_or_else(|| panic!("{tool}: no content: {raw}"));
        assert_eq!(blocks.len(), 1, "{tool}: one content block expected: {raw}");
        assert_eq!(blocks[0]["type"], "text", "{tool}: text expected: {raw}");
        Self {
            tool: tool.to_owned(),
            is_error: raw["isError"].as_bool().unwrap_or(false),
            text: blocks[0]["text"].as_str().expect("text of a text block").to_owned(),
            structured: raw.get("structuredContent").cloned(),
            raw,
        }
    }

    /// The value of a success: an object whose JSON is also the text.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(!self.is_error, "{} failed: {}", self.tool, self.text);
        let text: Value = serde_json::from_str(&self.text)
            .unwrap_or_else(|e| panic!("{}: text is not JSON ({e}): {}", self.tool, self.text));
        let value =
            self.structured.unwrap_or_else(|| panic!("{}: no structuredContent", self.tool));
        assert!(value.is_object(), "{}: structuredContent is no object: {value}", self.tool);
        let same = if self.tool == "list_roots" { &value["roots"] } else { &value };
        assert_eq!(&text, same, "{}: text and structuredContent differ", self.tool);
        value
    }

    /// The sentence of a failure: no structured part, no JSON, one line.
    #[track_caller]
    pub fn fails(self) -> String {
        assert!(self.is_error, "{} should have failed: {}", self.tool, self.text);
        assert_eq!(self.structured, None, "{}: a failure has no structuredContent", self.tool);
        assert!(!self.text.trim().is_empty(), "{}: empty failure", self.tool);
        assert!(!self.text.starts_with('{'), "{}: a sentence, not JSON: {}", self.tool, self.text);
        self.text
    }
}
