//! Schemas out of types: what is advertised, and the rules that calls are judged by.

use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Key under which a type may say, for the judge only, the sentence for a value that is not among the choices.
pub const SENTENCE: &str = "x-sentence";

/// Key under which a type may say, for the judge only, that `null` is a value and not a way to leave it out.
pub const NULL_COUNTS: &str = "x-null";

/// Levels of objects that an outline shows: the envelope, and what is in its value.
const OUTLINED: usize = 2;

/// The schema of a type. It is made when it is first looked at: most calls of a process need few of them.
#[derive(Debug, Clone)]
pub struct Schema {
    made: Arc<LazyLock<Made>>,
}

#[derive(Debug)]
struct Made {
    description: String,
    advertised: Arc<Map<String, Value>>,
    rules: Arc<Map<String, Value>>,
}

impl Schema {
    /// The schema of arguments; the type's doc comment becomes the description.
    pub fn of_input<T: JsonSchema>() -> Self {
        Self::made_by(|| Made::of::<T>(SchemaSettings::draft2020_12().for_deserialize()))
    }

    /// The schema of an answer.
    pub fn of_output<T: JsonSchema>() -> Self {
        Self::made_by(|| Made::of::<T>(SchemaSettings::draft2020_12().for_serialize()))
    }

    fn made_by(make: fn() -> Made) -> Self {
        Self { made: Arc::new(LazyLock::new(make)) }
    }

    /// The doc comment of the type.
    pub fn description(&self) -> &str {
        &self.made.description
    }

    /// What clients are told.
    pub fn advertised(&self) -> &Arc<Map<String, Value>> {
        &self.made.advertised
    }

    /// The same without words, and deep down without names: enough to check an answer, cheap to send.
    pub fn outline(&self) -> Arc<Map<String, Value>> {
        let mut outline = Value::Object(self.advertised().as_ref().clone());
        thin(&mut outline, OUTLINED);
        Arc::new(into_object(outline))
    }

    /// What calls are judged by.
    pub fn rules(&self) -> &Map<String, Value> {
        &self.made.rules
    }
}

impl Made {
    fn of<T: JsonSchema>(settings: SchemaSettings) -> Self {
        let settings = settings.with(|settings| settings.inline_subschemas = true);
        let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
        clean(&mut value, "");
        let mut rules = into_object(value);
        let description = rules.remove("description").map(text).unwrap_or_default();
        let rules = Arc::new(rules);
        let advertised = if has_asides(&rules) { stripped(&rules) } else { rules.clone() };
        Self { description, advertised, rules }
    }
}

/// Whether something in it is for the judge only.
fn has_asides(object: &Map<String, Value>) -> bool {
    let here = object.contains_key(SENTENCE) || object.contains_key(NULL_COUNTS);
    here || object.values().any(|value| match value {
        Value::Object(inner) => has_asides(inner),
        Value::Array(items) => items.iter().filter_map(Value::as_object).any(has_asides),
        _ => false,
    })
}

fn stripped(rules: &Map<String, Value>) -> Arc<Map<String, Value>> {
    let mut advertised = Value::Object(rules.clone());
    strip(&mut advertised);
    Arc::new(into_object(advertised))
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => unwrap_lines(&text),
        _ => String::new(),
    }
}

/// Doc comments are broken into lines for the reader of the source; paragraphs stay.
fn unwrap_lines(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Remove what costs tokens and tells nothing: titles, formats, `null` as the way to leave something out.
fn clean(value: &mut Value, key: &str) {
    let Value::Object(object) = value else {
        if let Value::Array(items) = value {
            items.iter_mut().for_each(|item| clean(item, ""));
        }
        return;
    };
    let is_schema = key != "properties";
    if is_schema {
        for noise in ["$schema", "title", "format"] {
            object.remove(noise);
        }
        if object.get("default") == Some(&Value::Null) {
            object.remove("default");
        }
        drop_null(object);
        flatten_choices(object);
        if let Some(Value::String(description)) = object.get_mut("description") {
            *description = unwrap_lines(description);
        }
    }
    for (name, inner) in object.iter_mut() {
        clean(inner, if is_schema { name } else { "" });
    }
}

/// `["integer", "null"]` is an integer that may be left out.
fn drop_null(object: &mut Map<String, Value>) {
    if object.contains_key(NULL_COUNTS) {
        return;
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(options)) = object.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.retain(|option| option.get("type") != Some(&Value::from("null")));
        if options.len() == 1 {
            let only = into_object(options.remove(0));
            object.remove("anyOf");
            only.into_iter().for_each(|(key, value)| _ = object.entry(key).or_insert(value));
        }
    }
}

/// An enum whose variants are documented comes as `oneOf` of constants; the names say enough.
fn flatten_choices(object: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = object.get("oneOf") else { return };
    let names: Vec<Value> = options.iter().filter_map(choice_names).flatten().collect();
    if names.is_empty() {
        return;
    }
    object.remove("oneOf");
    object.insert("type".into(), "string".into());
    object.insert("enum".into(), names.into());
}

fn choice_names(option: &Value) -> Option<Vec<Value>> {
    match (option.get("const"), option.get("enum")) {
        (Some(name), _) => Some(vec![name.clone()]),
        (_, Some(Value::Array(names))) => Some(names.clone()),
        _ => None,
    }
}

/// Keep types and, for `levels` of objects, the names of their fields.
fn thin(schema: &mut Value, levels: usize) {
    let Value::Object(object) = schema else { return };
    object.retain(|key, _| match key.as_str() {
        "type" | "enum" | "items" | "anyOf" => true,
        "properties" => levels > 0,
        "required" => levels == OUTLINED,
        _ => false,
    });
    if let Some(Value::Object(fields)) = object.get_mut("properties") {
        fields.values_mut().for_each(|field| thin(field, levels - 1));
    }
    if let Some(items) = object.get_mut("items") {
        thin(items, levels.saturating_sub(1));
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.iter_mut().for_each(|option| thin(option, levels));
    }
}

/// Remove what is for the judge only.
fn strip(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove(SENTENCE);
            object.remove(NULL_COUNTS);
            object.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
