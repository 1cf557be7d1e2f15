//! `request_file`: a file on the agent's side, from the cache or by asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::pushed::{GivenMetadata, Names, form, new_file};
use super::{Described, Example, Told};
use crate::bridge::{FileAnswer, Question, Reply, Said, Ticket, file_answer, file_prompt};
use crate::cache::{Awaited, Entry, Mtime, Stats};
use crate::call::Cx;
use crate::error::Error;
use crate::limits::{MAX_RANGE_BYTES, MAX_ROUNDS};
use crate::ops::encoding::Form;
use crate::ops::hash;
use crate::policy::{Access, AgentPath};
use crate::sandbox::PathArg;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Get a file's content from the agent
///
/// Served from the cache when the file is known and not older than current_mtime; otherwise the agent is asked by
/// sampling, and may answer in words or with cache_file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestFile {
    /// File, relative to the project or absolute inside it
    path: PathArg,
    /// Encoding of the file [default: utf-8]
    encoding: Option<String>,
    /// Encodings to try when that one fails
    #[serde(default)]
    fallback_encodings: Vec<String>,
    /// Bytes, in base64
    #[serde(default)]
    binary: bool,
    /// When the file was last changed, if known: an older version is not served
    current_mtime: Option<Mtime>,
}

/// Where an answer comes from
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Source {
    /// It was known.
    Cache,
    /// The agent told it now.
    Agent,
}

/// The file
#[derive(Serialize, JsonSchema)]
pub struct Content {
    #[serde(flatten)]
    names: Names,
    /// Text, or base64 if encoding says so
    content: String,
    encoding: String,
    /// Bytes in the file
    size: usize,
    /// sha256 of the file
    content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<Mtime>,
    source: Source,
    stats: Stats,
}

impl Tool for RequestFile {
    type Output = Told<Content>;
    const NAME: &'static str = "request_file";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];
    const ASKS: bool = true;

    fn run(self, cx: &Cx) -> Result<Told<Content>, Error> {
        let request = Request { path: cx.agent_path(&self.path)?, forms: self.forms()?, cx };
        let current = self.current_mtime.as_ref();
        let current = current.map(|mtime| mtime.seconds("current_mtime")).transpose()?;
        match cx.reply() {
            Some(reply) => request.answered(reply),
            None => request.first(current),
        }
    }
}

impl RequestFile {
    /// The forms that are asked for, in the order in which they are tried.
    fn forms(&self) -> Result<Forms, Error> {
        if self.fallback_encodings.len() >= MAX_ROUNDS {
            let message = format!("fallback_encodings: expected at most {}", MAX_ROUNDS - 1);
            return Err(Error::argument("fallback_encodings", message));
        }
        let labels = self.encoding.iter().chain(&self.fallback_encodings);
        let mut named = labels.map(|label| form(label)).collect::<Result<Vec<Form>, Error>>()?;
        if self.binary {
            return Ok(Forms { tried: vec![Form::Base64], chosen: true });
        }
        if self.encoding.is_none() {
            named.insert(0, Form::UTF_8);
        }
        let chosen = self.encoding.is_some() || !self.fallback_encodings.is_empty();
        Ok(Forms { tried: named, chosen })
    }
}

/// The forms to try, and whether the caller chose them.
struct Forms {
    tried: Vec<Form>,
    chosen: bool,
}

impl Forms {
    /// The content that stands for `bytes`, and its form. Where the caller chose none, the file's own will do.
    fn show(&self, bytes: &[u8], own: Form) -> Option<(String, Form)> {
        let own_first = [own].into_iter().filter(|_| !self.chosen);
        let mut forms = own_first.chain(self.tried.iter().copied());
        forms.find_map(|form| Some((form.content(bytes)?, form)))
    }

    fn names(&self) -> String {
        self.tried.iter().map(|form| form.name()).collect::<Vec<_>>().join(", ")
    }
}

struct Request<'a> {
    path: AgentPath,
    forms: Forms,
    cx: &'a Cx<'a>,
}

impl Request<'_> {
    fn first(self, current: Option<f64>) -> Result<Told<Content>, Error> {
        let cache = self.cx.cache()?;
        // Read before the cache is asked, so that no push goes unnoticed.
        let since = cache.sequence();
        match cache.get(&self.cx.key(&self.path), current) {
            Some(entry) => self.tell(&entry, Source::Cache, Vec::new()),
            None => Err(self.ask(Ticket { round: 0, since })),
        }
    }

    fn ask(&self, ticket: Ticket) -> Error {
        let (path, push_tool) = (self.path.shown(), self.push_tool());
        let form = self.forms.tried.get(ticket.round).copied().unwrap_or(Form::UTF_8);
        self.cx.ask(Question {
            text: file_prompt(&path, form, &push_tool),
            path,
            push_tool,
            awaits: Awaited::File(self.cx.key(&self.path)),
            ticket,
        })
    }

    fn push_tool(&self) -> String {
        self.cx.name_of("cache_file")
    }

    /// A push goes before words: the words may only say that it happened.
    fn answered(self, reply: &Reply) -> Result<Told<Content>, Error> {
        let (cache, key) = (self.cx.cache()?, self.cx.key(&self.path));
        if let Said::TooLate { .. } = reply.said {
            cache.discard_upload(&key);
        }
        if let Some(entry) = cache.told_since(&key, reply.ticket.since) {
            return self.tell(&entry, Source::Agent, Vec::new());
        }
        let asked = self.forms.tried.get(reply.ticket.round).copied().unwrap_or(Form::UTF_8);
        let given = match file_answer(reply, &self.path.shown(), &self.push_tool())? {
            FileAnswer::Undecodable(_) => return Err(self.try_next(reply.ticket)),
            FileAnswer::Text(text) => Given { form: asked, content: text, mtime: None },
            FileAnswer::Given(object) => self.given(object, asked)?,
        };
        let is_last = reply.ticket.round + 1 >= self.forms.tried.len();
        let lossy = given.form != Form::Base64 && given.content.contains('\u{fffd}');
        if lossy && !is_last {
            return Err(self.try_next(reply.ticket));
        }
        match given.form.bytes(&given.content) {
            Ok(bytes) => self.keep(bytes, &given, lossy),
            Err(_) if !is_last => Err(self.try_next(reply.ticket)),
            Err(reason) => Err(Error::BadAnswer { path: self.path.shown(), reason }),
        }
    }

    /// Ask for the next encoding, or give up.
    fn try_next(&self, ticket: Ticket) -> Error {
        let round = ticket.round + 1;
        if round < self.forms.tried.len() {
            return self.ask(Ticket { round, ..ticket });
        }
        self.undecodable()
    }

    fn undecodable(&self) -> Error {
        let reason = format!(
            "the file is no text in any of these encodings: {}; ask with binary: true",
            self.forms.names()
        );
        Error::BadAnswer { path: self.path.shown(), reason }
    }

    /// An answer that carries more than text; a path in it must be the one that was asked for.
    fn given(&self, object: Map<String, Value>, asked: Form) -> Result<Given, Error> {
        let bad =
            |reason: &str| Error::BadAnswer { path: self.path.shown(), reason: reason.into() };
        if let Some(path) = object.get("path").and_then(Value::as_str)
            && self.cx.agent_path(&PathArg::from(path))? != self.path
        {
            return Err(bad("it is about another file"));
        }
        let Some(Value::String(content)) = object.get("content") else {
            return Err(bad("it has no content"));
        };
        let said = object.get("encoding").and_then(Value::as_str);
        let is_binary = object.get("binary") == Some(&Value::Bool(true));
        let said = if is_binary { Some("base64") } else { said };
        let form = said.map_or(Some(asked), Form::labelled);
        let form = form.ok_or_else(|| bad("its encoding is not supported"))?;
        let mtime = object.get("mtime").cloned().map(serde_json::from_value).transpose();
        let mtime = mtime.map_err(|_| bad("its mtime is neither a number nor a date"))?;
        Ok(Given { form, content: content.clone(), mtime })
    }

    /// Hold what the agent told, if it can be shown as the caller wants it.
    fn keep(self, bytes: Vec<u8>, given: &Given, lossy: bool) -> Result<Told<Content>, Error> {
        if self.forms.show(&bytes, given.form).is_none() {
            return Err(self.undecodable());
        }
        let encoding = Some(given.form.name());
        let metadata = GivenMetadata { mtime: given.mtime.clone(), encoding, size: None };
        let file = new_file(self.cx, &self.path, bytes, &metadata)?;
        let (stored, _) = self.cx.cache()?.store(vec![file])?;
        let stored = stored.into_iter().next();
        let stored = stored.ok_or_else(|| Error::Internal("nothing was cached".into()))?;
        let warning = "the content has replacement characters: the agent may have read the file with a wrong encoding";
        let warnings = if lossy { vec![warning.to_owned()] } else { Vec::new() };
        self.tell(&stored.entry, Source::Agent, warnings)
    }

    fn tell(
        self,
        entry: &Entry,
        source: Source,
        warnings: Vec<String>,
    ) -> Result<Told<Content>, Error> {
        let size = entry.bytes.len();
        if size as u64 > MAX_RANGE_BYTES {
            return Err(Error::Refused(format!(
                "file too large to return: {} has {size} bytes, the limit is {MAX_RANGE_BYTES} bytes",
                self.path.shown()
            )));
        }
        let own = Form::labelled(&entry.encoding).unwrap_or(Form::Base64);
        let (content, form) =
            self.forms.show(&entry.bytes, own).ok_or_else(|| self.undecodable())?;
        let value = Content {
            names: (&self.path).into(),
            content,
            encoding: if form == own { entry.encoding.clone() } else { form.name() },
            size,
            content_hash: hash::sha256(&entry.bytes),
            mtime: entry.mtime.clone(),
            source,
            stats: self.cx.cache()?.stats(),
        };
        let told = Told::ok(value).warnings(warnings.clone());
        Ok(if warnings.is_empty() { told } else { told.message("partial success: see warnings") })
    }
}

/// What the agent told.
struct Given {
    form: Form,
    content: String,
    mtime: Option<Mtime>,
}

impl Described for RequestFile {
    const USAGE: &'static str = "request_file(path)                                  text in UTF-8\nrequest_file(path, encoding, fallback_encodings)    text in another encoding\nrequest_file(path, binary)                          bytes in base64\nrequest_file(path, current_mtime)                   not older than that";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "A text; value.source is cache or agent",
            arguments: r#"{"path": "docs/readme.md"}"#,
        },
        Example {
            shows: "An old text file",
            arguments: r#"{"path": "docs/old.txt", "encoding": "utf-8", "fallback_encodings": ["latin-1"]}"#,
        },
        Example { shows: "Bytes", arguments: r#"{"path": "docs/logo.png", "binary": true}"# },
        Example {
            shows: "A client without sampling: success is false, error_type is unsupported; push with cache_file, then repeat",
            arguments: r#"{"path": "src/main.py"}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "The path is judged before the agent is asked, and the agent's answer afterwards.",
        "Nothing is kept of an answer that is refused or late.",
    ];
}
