//! What to do next, as far as the failure itself tells.

use super::Error;
use crate::ops::near::question;

impl Error {
    /// Names that may be meant, if there are any.
    pub fn near(&self) -> Option<&[String]> {
        match self {
            Self::NotFound { near, .. } | Self::Missing { near, .. } | Self::Patch { near, .. } => {
                Some(near.as_slice()).filter(|near| !near.is_empty())
            }
            _ => None,
        }
    }

    /// What to do next, if there is something to say beyond the sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { blocked_by: Some(file), .. } => {
                Some(format!("{file} is a file, not a directory"))
            }
            Self::NotFound { .. } | Self::Missing { .. } | Self::Patch { .. } => {
                self.near().and_then(question)
            }
            Self::UnknownRoot { known, .. } => Some(format!("known roots: {}", known.join(", "))),
            Self::Changed { .. } => Some("read the file again and repeat the change".into()),
            Self::Unsupported { instead, .. } => Some(instead.clone()),
            Self::ForeignState => Some("call the tool again without it".into()),
            _ => None,
        }
    }
}
