//! The words in which the agent is asked.

use serde_json::Value;

use crate::cache::Depth;
use crate::ops::encoding::Form;

/// Ask for a file.
pub fn file_prompt(path: &str, form: Form, push_tool: &str) -> String {
    let how = match form {
        Form::Base64 => "as bytes, in base64".to_owned(),
        Form::Text(_) => format!("as text, with the encoding {}", form.name()),
    };
    let (encoding, quoted) = (form.name(), Value::from(path));
    format!(
        "Please read the file '{path}' on your filesystem {how}, and provide its content unchanged.\n\
         Either call the tool {push_tool} with {{\"path\": {quoted}, \"content\": \"...\", \"encoding\": \"{encoding}\"}} and then reply with the word CACHED,\n\
         or reply with JSON and nothing else: {{\"content\": \"...\", \"encoding\": \"{encoding}\", \"mtime\": <seconds since 1970, if known>}}.\n\
         If that fails, reply with {{\"error\": \"<why>\", \"error_type\": \"file_not_found\" | \"permission_denied\" | \"encoding_error\" | \"other\"}}."
    )
}

/// Ask for a directory.
pub fn directory_prompt(
    path: &str,
    depth: Depth,
    pattern: Option<&str>,
    push_tool: &str,
) -> String {
    let how = match depth {
        Depth::One => "not recursively",
        Depth::All => "recursively, with the entries of each directory in its \"children\"",
    };
    let filter = pattern.map_or_else(String::new, |pattern| {
        format!(" Give only files that match the glob pattern '{pattern}', and all directories.")
    });
    let quoted = Value::from(path);
    format!(
        "Please list the files and directories in '{path}' on your filesystem, {how}.{filter}\n\
         Either call the tool {push_tool} with {{\"path\": {quoted}, \"files\": [...]}} and then reply with the word CACHED,\n\
         or reply with a JSON array and nothing else: [{{\"name\": \"...\", \"type\": \"file\" | \"directory\", \"size\": <bytes>, \"mtime\": <seconds since 1970>}}, ...].\n\
         If that fails, reply with {{\"error\": \"<why>\", \"error_type\": \"file_not_found\" | \"permission_denied\" | \"other\"}}."
    )
}
