//! The narrow doors through which the fuzzer and the benchmarks reach what is not public.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use serde_json::Value;

use crate::args::Arguments;
use crate::call::{self, Answer};
use crate::error::Error;
use crate::ops::patch::{self, PatchError};
use crate::sandbox::{
    self, Metadata, PathArg, PathStyle, Place, RelativePath, Root, ScanFile, Tree,
};
use crate::toolsets::{Definition, Registered};

/// The place that a client's path names.
pub fn place(root: &Arc<Root>, path: &str, style: PathStyle) -> Result<Place, Error> {
    Place::new(root, &PathArg::from(path), style)
}

/// What a client's path leads to.
pub fn found(root: &Arc<Root>, path: &str, style: PathStyle) -> Result<Metadata, Error> {
    sandbox::inspect(&place(root, path, style)?)
}

/// A file of a walk, opened as a search opens it.
pub fn file_in(tree: &Tree, path: &RelativePath) -> Option<ScanFile> {
    tree.open_file(path).ok()
}

/// A directory of a walk, opened as the walk opens it.
pub fn directory_in(tree: &Tree, path: &RelativePath) -> Option<OwnedFd> {
    tree.open_directory(path).ok()
}

/// Whether the configuration can be read.
pub fn config(yaml: &str) -> Result<(), String> {
    crate::settings::is_readable(yaml)
}

/// Whether a tool would take these arguments.
pub fn arguments(tool: &Definition, arguments: Arguments) -> Result<(), Error> {
    (tool.parse)(&tool.input, arguments)
}

/// Whether a patch can be read.
pub fn patch(text: &str) -> Result<(), PatchError> {
    patch::is_readable(text)
}

/// What a tool's value becomes on its way to the client.
pub fn answer(tool: &Registered, value: Value) -> Answer {
    call::success(tool, value, true)
}
