//! Algorithms on bytes and text. Nothing here opens a file.

pub mod budget;
pub mod encoding;
pub mod hash;
pub mod mime;
pub mod near;
pub mod patch;
pub mod regex;
pub mod search;
pub mod text;
