//! What the flag tools share: the sentence of a change, and reading what a value may be.

use serde_json::Value;

use super::Told;
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, FlagValue, Flags, Scope};

/// What a flag is when only its name is given.
pub(super) fn on() -> Option<Value> {
    Some(Value::Bool(true))
}

/// Set or remove a flag, and say so; `noun` names what kind of flag it is.
pub(super) fn set(
    cx: &Cx,
    scope: Scope<'_>,
    noun: &str,
    name: &str,
    value: Option<Value>,
) -> Result<Told<String>, Error> {
    let value = value.map(checked).transpose()?;
    flags::set(cx.guidebook(), scope, name, value.as_ref())?;
    Ok(Told::ok(match value {
        Some(value) => format!("{noun} '{name}' set to {value}"),
        None => format!("{noun} '{name}' removed"),
    }))
}

fn checked(value: Value) -> Result<FlagValue, Error> {
    let sentence = "value: expected boolean, string, array of strings or object of strings";
    FlagValue::new(value).ok_or_else(|| Error::argument("value", sentence))
}

/// One of these flags; nothing where it is not set.
pub(super) fn one(mut flags: Flags, name: &str) -> Result<Told<FlagValue>, Error> {
    flags::check_name(name)?;
    Ok(flags.remove(name).map_or_else(Told::nothing, Told::ok))
}

/// These flags, or the one of that name alone.
pub(super) fn some(flags: Flags, name: Option<&str>) -> Result<Told<Flags>, Error> {
    let Some(name) = name else { return Ok(Told::ok(flags)) };
    flags::check_name(name)?;
    Ok(Told::ok(flags.into_iter().filter(|(other, _)| other == name).collect()))
}
