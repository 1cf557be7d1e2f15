//! Tools and a prompt of the stateless era that ask the client before they can answer.

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    RequestStateCodec,
};
use serde_json::{Value, json};

/// What comes of one turn.
pub enum Turn {
    /// The text of the answer.
    Done(String),
    /// What is to be asked.
    Ask(InputRequiredResult),
}

/// What the client brings to a turn.
pub struct Brought<'a> {
    pub responses: &'a InputResponses,
    pub state: Option<&'a str>,
    pub capabilities: ClientCapabilities,
}

impl Brought<'_> {
    /// A value from the response to the question `key`.
    fn value(&self, key: &str, pointer: &str) -> Option<&Value> {
        self.responses.get(key).and_then(|response| response.pointer(pointer))
    }

    fn text(&self, key: &str, pointer: &str) -> Option<&str> {
        self.value(key, pointer).and_then(Value::as_str)
    }
}

/// What asks, and remembers under seal what it asked.
pub struct Asker {
    codec: RequestStateCodec,
}

impl Asker {
    pub fn new() -> Result<Self, ErrorData> {
        // A key for one run: nothing sealed by it outlives the process.
        let seed = std::hash::BuildHasher::hash_one(
            &std::collections::hash_map::RandomState::new(),
            std::process::id(),
        );
        let key: Vec<u8> = seed.to_le_bytes().repeat(4);
        let codec = RequestStateCodec::try_new(key)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Self { codec })
    }

    /// The turn of the tool `name`; `None` when it is not one of these.
    pub fn turn(&self, name: &str, brought: &Brought) -> Option<Result<Turn, ErrorData>> {
        let kind = name.strip_prefix("test_input_required_result_").or(match name {
            "test_streaming_elicitation" => Some("elicitation"),
            _ => None,
        })?;
        Some(match kind {
            "elicitation" => Ok(greeted(brought)),
            "sampling" => Ok(sampled(brought)),
            "list_roots" => Ok(rooted(brought)),
            "prompt" => Ok(contextual(brought)),
            "capabilities" => Ok(only_what_is_declared(brought)),
            "request_state" | "tampered_state" => self.confirmed(brought),
            "multiple_inputs" => self.all_at_once(brought),
            "multi_round" => self.step_by_step(brought),
            _ => return None,
        })
    }

    fn confirmed(&self, brought: &Brought) -> Result<Turn, ErrorData> {
        let remembered = brought.state.map(|state| self.open(state)).transpose()?;
        match (remembered.as_deref(), brought.value("confirm", "/content/ok")) {
            (Some("confirm"), Some(_)) => Ok(Turn::Done("state-ok".into())),
            _ => {
                let question = elicit("Please confirm", "ok", "boolean");
                Ok(ask([("confirm", question)], Some(self.seal("confirm")?)))
            }
        }
    }

    fn all_at_once(&self, brought: &Brought) -> Result<Turn, ErrorData> {
        brought.state.map(|state| self.open(state)).transpose()?;
        let answers = (
            brought.text("user_name", "/content/name"),
            brought.value("greeting", "/content"),
            brought.value("client_roots", "/roots"),
        );
        if let (Some(name), Some(greeting), Some(roots)) = answers {
            return Ok(Turn::Done(format!("{name}: {greeting} {roots}")));
        }
        let questions = [
            ("user_name", elicit("What is your name?", "name", "string")),
            ("greeting", sample("Generate a greeting", 50)),
            ("client_roots", json!({"method": "roots/list", "params": {}})),
        ];
        Ok(ask(questions, Some(self.seal("all")?)))
    }

    fn step_by_step(&self, brought: &Brought) -> Result<Turn, ErrorData> {
        let at = brought.state.map(|state| self.open(state)).transpose()?.unwrap_or_default();
        if let (Some(name), Some(color)) =
            (at.strip_prefix("second:"), brought.text("step2", "/content/color"))
        {
            return Ok(Turn::Done(format!("{name} likes {color}")));
        }
        if let (true, Some(name)) = (at == "first", brought.text("step1", "/content/name")) {
            let question = elicit("Step 2: What is your favorite color?", "color", "string");
            return Ok(ask([("step2", question)], Some(self.seal(&format!("second:{name}"))?)));
        }
        let question = elicit("Step 1: What is your name?", "name", "string");
        Ok(ask([("step1", question)], Some(self.seal("first")?)))
    }

    fn seal(&self, what: &str) -> Result<String, ErrorData> {
        let sealed = self.codec.seal_json(&what);
        sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn open(&self, state: &str) -> Result<String, ErrorData> {
        let opened = self.codec.open_json(state);
        opened.map_err(|_| ErrorData::invalid_params("requestState is not one of ours", None))
    }
}

fn greeted(brought: &Brought) -> Turn {
    match brought.text("user_name", "/content/name") {
        Some(name) => Turn::Done(format!("Hello, {name}!")),
        None => ask([("user_name", elicit("What is your name?", "name", "string"))], None),
    }
}

fn sampled(brought: &Brought) -> Turn {
    let said = brought.text("capital_question", "/content/text");
    match said.or(brought.text("capital_question", "/content/0/text")) {
        Some(text) => Turn::Done(text.to_owned()),
        None => ask([("capital_question", sample("What is the capital of France?", 100))], None),
    }
}

fn rooted(brought: &Brought) -> Turn {
    match brought.value("client_roots", "/roots") {
        Some(roots) => Turn::Done(format!("roots: {roots}")),
        None => ask([("client_roots", json!({"method": "roots/list", "params": {}}))], None),
    }
}

fn contextual(brought: &Brought) -> Turn {
    match brought.text("user_context", "/content/context") {
        Some(context) => Turn::Done(format!("Use this context: {context}")),
        None => {
            let question = elicit("What context should the prompt use?", "context", "string");
            ask([("user_context", question)], None)
        }
    }
}

fn only_what_is_declared(brought: &Brought) -> Turn {
    let mut questions = Vec::new();
    if brought.capabilities.sampling.is_some() {
        questions.push(("answer", sample("Say something", 50)));
    }
    if brought.capabilities.elicitation.is_some() {
        questions.push(("name", elicit("What is your name?", "name", "string")));
    }
    if questions.is_empty() || !brought.responses.is_empty() {
        return Turn::Done("nothing to ask".into());
    }
    ask(questions, None)
}

fn ask(questions: impl IntoIterator<Item = (&'static str, Value)>, state: Option<String>) -> Turn {
    let requests: InputRequests = questions
        .into_iter()
        .filter_map(|(key, question)| {
            let request: InputRequest = serde_json::from_value(question).ok()?;
            Some((key.to_owned(), request))
        })
        .collect();
    Turn::Ask(InputRequiredResult::new(Some(requests), state))
}

/// A question to the user with one field.
fn elicit(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {field: {"type": kind}},
            "required": [field],
        },
    }})
}

/// A question to the model.
fn sample(text: &str, max_tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {
        "messages": [message],
        "maxTokens": max_tokens,
    }})
}
