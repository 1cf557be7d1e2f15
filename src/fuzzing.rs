//! The narrow doors through which the fuzzer reaches what is not public.

use std::sync::Arc;

use crate::args::Arguments;
use crate::error::Error;
use crate::sandbox::{self, Metadata, PathArg, PathStyle, Place, Root};
use crate::toolsets::Definition;

/// What a client's path leads to.
pub fn found(root: &Arc<Root>, path: &str, style: PathStyle) -> Result<Metadata, Error> {
    sandbox::inspect(&Place::new(root, &PathArg::from(path), style)?)
}

/// Whether the configuration can be read.
pub fn config(yaml: &str) -> Result<(), String> {
    crate::settings::is_readable(yaml)
}

/// Whether a tool would take these arguments.
pub fn arguments(tool: &Definition, arguments: Arguments) -> Result<(), Error> {
    (tool.parse)(&tool.input, arguments)
}
