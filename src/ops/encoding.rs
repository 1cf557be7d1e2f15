//! Text and bytes by the label of an encoding, without ever losing a character.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How the bytes of a file are written in an argument or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In base64: any bytes.
    Base64,
    /// As text, whose characters the file holds in this encoding.
    Text(&'static Encoding),
}

impl Form {
    /// Plain UTF-8.
    pub const UTF_8: Self = Self::Text(UTF_8);

    /// The form that `label` names: `base64`, or a label of the web's list in any of its spellings.
    pub fn labelled(label: &str) -> Option<Self> {
        let label = label.trim().to_lowercase().replace('_', "-");
        let known = match label.as_str() {
            "base64" | "binary" => return Some(Self::Base64),
            "utf-8-sig" => "utf-8",
            "latin-1" => "latin1",
            other => other,
        };
        Encoding::for_label_no_replacement(known.as_bytes()).map(Self::Text)
    }

    /// The bytes that `content` stands for, or why it stands for none.
    pub fn bytes(self, content: &str) -> Result<Vec<u8>, String> {
        match self {
            Self::Base64 => {
                BASE64.decode(content.trim()).map_err(|error| format!("invalid base64: {error}"))
            }
            Self::Text(encoding) => encode(encoding, content).ok_or_else(|| {
                format!("the content has characters that {} can not hold", encoding.name())
            }),
        }
    }

    /// The content that stands for `bytes`; `None` when they are no text of this encoding.
    pub fn content(self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Base64 => Some(BASE64.encode(bytes)),
            Self::Text(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(bytes)
                .map(|text| text.into_owned()),
        }
    }

    /// The usual name, in lower case.
    pub fn name(self) -> String {
        match self {
            Self::Base64 => "base64".to_owned(),
            Self::Text(encoding) => encoding.name().to_lowercase(),
        }
    }
}

fn encode(encoding: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    if encoding == UTF_16LE {
        return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    }
    if encoding == UTF_16BE {
        return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
    }
    let (bytes, _, unmappable) = encoding.encode(text);
    (!unmappable).then(|| bytes.into_owned())
}
