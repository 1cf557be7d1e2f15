//! What the flag tools share: the sentence of a change, and reading what a value may be.

use serde_json::Value;

use super::Told;
use crate::call::Cx;
use crate::error::Error;
use crate::flags::{self, FlagValue, Flags, Scope};
use crate::ops::near::{near, question};

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
    let unset = match value {
        None => unset(&flags::list(cx.guidebook(), scope)?, name),
        Some(_) => None,
    };
    flags::set(cx.guidebook(), scope, name, value.as_ref())?;
    let told = Told::ok(match value {
        Some(value) => format!("{noun} '{name}' set to {value}"),
        None => format!("{noun} '{name}' removed"),
    });
    Ok(noting(told, unset))
}

/// The news that there is no flag of that name, where another one may be meant.
fn unset(flags: &Flags, name: &str) -> Option<String> {
    let near = if flags.contains_key(name) { None } else { question(&near(name, flags.keys())) };
    near.map(|question| format!("flag '{name}' is not set; {question}"))
}

fn noting<T>(told: Told<T>, unset: Option<String>) -> Told<T> {
    match unset {
        Some(news) => told.message(news),
        None => told,
    }
}

fn checked(value: Value) -> Result<FlagValue, Error> {
    let sentence = "value: expected boolean, string, array of strings or object of strings";
    FlagValue::new(value).ok_or_else(|| Error::argument("value", sentence))
}

/// One of these flags; nothing where it is not set.
pub(super) fn one(mut flags: Flags, name: &str) -> Result<Told<FlagValue>, Error> {
    flags::check_name(name)?;
    let unset = unset(&flags, name);
    Ok(noting(flags.remove(name).map_or_else(Told::nothing, Told::ok), unset))
}

/// These flags, or the one of that name alone.
pub(super) fn some(flags: Flags, name: Option<&str>) -> Result<Told<Flags>, Error> {
    let Some(name) = name else { return Ok(Told::ok(flags)) };
    flags::check_name(name)?;
    let unset = unset(&flags, name);
    Ok(noting(Told::ok(flags.into_iter().filter(|(other, _)| other == name).collect()), unset))
}
