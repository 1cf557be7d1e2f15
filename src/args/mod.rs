//! Arguments: one schema per type, from which clients learn and by which calls are judged.

mod judge;
pub mod pattern;
pub mod schema;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Complaint, Error};
pub use judge::type_of;
pub use schema::Schema;

/// Arguments as they came.
pub type Arguments = Map<String, Value>;

/// The typed arguments, or every complaint at once.
pub fn parse<T: DeserializeOwned>(schema: &Schema, arguments: Arguments) -> Result<T, Error> {
    let mut arguments = arguments;
    let complaints = judge::judge(schema.rules(), &mut arguments);
    if !complaints.is_empty() {
        return Err(Error::Arguments(complaints));
    }
    // What the schema can not say (an integer out of range) is left to the types.
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::Arguments(vec![Complaint::new("arguments", error.to_string())]))
}
