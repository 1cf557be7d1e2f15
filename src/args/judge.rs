//! Judging arguments by their schema: every complaint at once, each naming the argument and what was expected.

use serde_json::{Map, Value};

use super::schema::{NULL_COUNTS, SENTENCE};
use crate::error::Complaint;
use crate::ops::near::{near, question};

type Object = Map<String, Value>;

/// Characters of a wrong value that are repeated to the caller.
const MAX_GIVEN: usize = 80;

/// Everything wrong with `arguments`. Whole numbers written as `5.0` are made `5`; a `null` is left out.
pub(super) fn judge(rules: &Object, arguments: &mut Object) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    judge_object(rules, arguments, "", &mut complaints);
    complaints
}

fn judge_object(
    rules: &Object,
    object: &mut Object,
    prefix: &str,
    complaints: &mut Vec<Complaint>,
) {
    let none = Object::new();
    let properties = rules.get("properties").and_then(Value::as_object).unwrap_or(&none);
    drop_nulls(properties, object);
    missing(rules, object, prefix, complaints);
    unknown(rules, properties, object, prefix, complaints);
    for (name, rule) in properties {
        if let (Some(value), Some(rule)) = (object.get_mut(name), rule.as_object()) {
            judge_value(rule, value, &format!("{prefix}{name}"), complaints);
        }
    }
}

/// An optional argument sent as `null` counts as left out, unless `null` is a value it takes.
fn drop_nulls(properties: &Object, object: &mut Object) {
    object.retain(|name, value| !value.is_null() || properties.get(name).is_none_or(takes_null));
}

fn takes_null(rule: &Value) -> bool {
    rule.get(NULL_COUNTS).is_some() || (rule.get("type").is_none() && rule.get("enum").is_none())
}

fn missing(rules: &Object, object: &Object, prefix: &str, complaints: &mut Vec<Complaint>) {
    let required = rules.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str).filter(|name| !object.contains_key(*name)) {
        complaints
            .push(Complaint::new(format!("{prefix}{name}"), format!("{prefix}{name} is required")));
    }
}

fn unknown(
    rules: &Object,
    properties: &Object,
    object: &Object,
    prefix: &str,
    complaints: &mut Vec<Complaint>,
) {
    if rules.get("additionalProperties") != Some(&Value::Bool(false)) {
        return;
    }
    let strays: Vec<&String> =
        object.keys().filter(|name| !properties.contains_key(*name)).collect();
    let free: Vec<&String> = properties.keys().filter(|name| !object.contains_key(*name)).collect();
    for (at, name) in strays.iter().enumerate() {
        let meant = question(&near(name, &free)).map(|question| format!(" ({question})"));
        let meant = meant.unwrap_or_default();
        // The list stands once, behind the last of them.
        let known = if at + 1 == strays.len() { known(properties) } else { String::new() };
        let message = format!("unknown argument: {prefix}{name}{meant}{known}");
        complaints.push(Complaint::new(format!("{prefix}{name}"), message));
    }
}

fn known(properties: &Object) -> String {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("; known arguments: {names}")
}

fn judge_value(rule: &Object, value: &mut Value, name: &str, complaints: &mut Vec<Complaint>) {
    if let Some(complaint) =
        wrong_type(rule, value, name).or_else(|| wrong_value(rule, value, name))
    {
        complaints.push(Complaint::new(name, complaint));
        return;
    }
    let rule = fitting_option(rule, value).unwrap_or(rule);
    match value {
        Value::Object(object) if rule.contains_key("properties") => {
            judge_object(rule, object, &format!("{name}."), complaints);
        }
        Value::Object(object) => {
            let fields = object.iter_mut().map(|(field, item)| (format!("{name}.{field}"), item));
            judge_each(rule.get("additionalProperties"), fields, complaints);
        }
        Value::Array(items) => {
            let items = items.iter_mut().enumerate();
            let items = items.map(|(at, item)| (format!("{name}[{at}]"), item));
            judge_each(rule.get("items"), items, complaints);
        }
        _ => {}
    }
}

/// Judge what is in an array or a free object by the one rule for all of it.
fn judge_each<'a>(
    rule: Option<&Value>,
    items: impl Iterator<Item = (String, &'a mut Value)>,
    complaints: &mut Vec<Complaint>,
) {
    let Some(rule) = rule.and_then(Value::as_object) else { return };
    items.for_each(|(name, item)| judge_value(rule, item, &name, complaints));
}

/// Of several types that a rule allows, the one that the value has.
fn fitting_option<'a>(rule: &'a Object, value: &mut Value) -> Option<&'a Object> {
    let options = rule.get("anyOf")?.as_array()?.iter().filter_map(Value::as_object);
    options.into_iter().find(|option| {
        option.get("type").and_then(Value::as_str).is_some_and(|kind| fits(kind, value))
    })
}

fn wrong_type(rule: &Object, value: &mut Value, name: &str) -> Option<String> {
    let expected = expected_types(rule)?;
    if expected.iter().any(|kind| fits(kind, value)) {
        return None;
    }
    let expected = expected.join(" or ");
    Some(format!("{name}: expected {expected}, got {}", type_of(value)))
}

/// The types a rule allows, or `None` when it allows any.
fn expected_types(rule: &Object) -> Option<Vec<&str>> {
    match (rule.get("type"), rule.get("anyOf")) {
        (Some(Value::String(kind)), _) => Some(vec![kind]),
        (Some(Value::Array(kinds)), _) => Some(kinds.iter().filter_map(Value::as_str).collect()),
        (_, Some(Value::Array(options))) => {
            let kinds = options.iter().map(|option| option.get("type").and_then(Value::as_str));
            kinds.collect()
        }
        _ => None,
    }
}

fn fits(kind: &str, value: &mut Value) -> bool {
    match kind {
        "integer" => {
            if let Some(whole) =
                value.as_f64().filter(|n| value.is_f64() && n.fract() == 0.0 && n.abs() < 9e15)
            {
                *value = Value::from(whole as i64);
            }
            value.is_i64() || value.is_u64()
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

/// The name of a value's type, as schemas have it.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn wrong_value(rule: &Object, value: &Value, name: &str) -> Option<String> {
    wrong_choice(rule, value, name).or_else(|| out_of_range(rule, value, name))
}

fn wrong_choice(rule: &Object, value: &Value, name: &str) -> Option<String> {
    let single = rule.get("const").map(std::slice::from_ref);
    let options = rule.get("enum").and_then(Value::as_array).map(Vec::as_slice).or(single)?;
    if options.contains(value) {
        return None;
    }
    let given = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let given: String = given.chars().take(MAX_GIVEN).collect();
    let listed: Vec<String> = options
        .iter()
        .map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned))
        .collect();
    let listed = listed.join(", ");
    Some(match rule.get(SENTENCE).and_then(Value::as_str) {
        Some(sentence) => sentence.replace("{given}", &given).replace("{options}", &listed),
        None => format!("{name}: expected one of {listed}, got {given}"),
    })
}

fn out_of_range(rule: &Object, value: &Value, name: &str) -> Option<String> {
    let number = value.as_f64()?;
    let bound = |key: &str| rule.get(key).and_then(Value::as_f64);
    if let Some(low) = bound("minimum").filter(|low| number < *low) {
        return Some(format!("{name}: expected at least {low}, got {value}"));
    }
    let high = bound("maximum").filter(|high| number > *high)?;
    Some(format!("{name}: expected at most {high}, got {value}"))
}
