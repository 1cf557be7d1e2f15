//! Prompt `guide`: guide documents for the conversation at hand.

use serde_json::{Map, Value, json};

use crate::args::Arguments;
use crate::error::Error;
use crate::toolsets::guide::Told;

/// Its name; prompts have no prefix.
pub const NAME: &str = "guide";

// Description: see README.md in this directory.

/// What people are told about it.
pub const DESCRIPTION: &str = "## Description

Show guide documents by category or collection

Each word is an expression: `name`, `name/pattern` or `name/pattern+pattern`, where name is a category or a collection \
of guide documents. The documents are shown in this order.

## Conceptual Schema

```text
*args: one or more expressions
```

## Usage Instructions

```text
@guide expression [expression ...]
```

## Concrete Examples

```text
@guide guidelines
    every document of category guidelines

@guide lang/python
    document python of category lang, whatever its extension

@guide lang/python+rust docs/api
    documents python and rust of lang, then document api of docs
```";

/// How the words travel: the protocol has named arguments only.
pub const ARGUMENTS: [&str; 15] = [
    "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "argA", "argB", "argC",
    "argD", "argE", "argF",
];

/// What the host is told to do with the documents.
const DISPLAY: &str = "Display this information to the user.";

/// The arguments for `get_content`; `None` when there is no word.
pub fn arguments(given: &Arguments) -> Option<Arguments> {
    let words = ARGUMENTS.iter().map_while(|name| given.get(*name)?.as_str());
    let expression = words.collect::<Vec<_>>().join(",");
    let arguments = json!({"expression": expression});
    arguments.as_object().filter(|_| !expression.trim().is_empty()).cloned()
}

/// What is said when there is no word.
pub fn wordless() -> String {
    let told = Told::failure(&Error::Refused("Requires 1 or more arguments".into()));
    serde_json::to_string(&told).unwrap_or_default()
}

/// An answer of `get_content` as this prompt gives it: documents are to be displayed.
pub fn displayed(answer: &str) -> String {
    let Ok(mut told) = serde_json::from_str::<Map<String, Value>>(answer) else {
        return answer.to_owned();
    };
    // Warnings stay last.
    let warnings = told.shift_remove("warnings");
    told.entry("instruction").or_insert(DISPLAY.into());
    told.extend(warnings.map(|warnings| ("warnings".to_owned(), warnings)));
    Value::Object(told).to_string()
}
