//! The `guide` toolset: files on the agent's side, flags and guide documents.
//!
//! How a tool of this set is written and described: `README.md` beside this file.

mod declared;
mod describe;
mod example_tool;
mod result;

use serde_json::Value;

use super::{Definition, Examples};
use crate::args::Arguments;
pub use declared::Declared;
pub use describe::{Described, Example};
pub use result::{Told, failure};

/// Every tool of the set, in the order of the reference.
pub fn tools(examples: Examples) -> Vec<Definition> {
    let declared = Declared::default();
    if examples == Examples::Included {
        declared.declare(describe::define::<example_tool::ExampleTool>());
    }
    declared.take()
}

/// Arguments without the wrapper that some clients put around them: a lone `{"args": {...}}`.
pub fn unwrapped(mut arguments: Arguments) -> Arguments {
    let is_wrapper = arguments.len() == 1 && arguments.get("args").is_some_and(Value::is_object);
    match arguments.get_mut("args").filter(|_| is_wrapper).map(Value::take) {
        Some(Value::Object(inner)) => inner,
        _ => arguments,
    }
}
