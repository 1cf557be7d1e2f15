//! Logs as JSON lines (`time`, `level`, `msg`, then the fields of the event), or as lines for people.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;

use super::human::{self, Colour};
use crate::cli::LogFormat;

/// Start logging to stderr, or to `file` as well, where it is JSON always.
pub fn start(level: Level, format: LogFormat, file: Option<&Path>) -> io::Result<()> {
    // The protocol library logs message bodies: only its errors are wanted.
    let levels =
        Targets::new().with_default(LevelFilter::ERROR).with_target("mcp_filesystem", level);
    let console =
        tracing_subscriber::fmt::layer().event_format(lines(format)).with_writer(io::stderr);
    let copy = file.map(crate::sandbox::own::open_log).transpose()?.map(|file| {
        tracing_subscriber::fmt::layer().event_format(Lines::Json).with_writer(Mutex::new(file))
    });
    let subscriber = tracing_subscriber::registry().with(levels).with(console).with(copy);
    tracing::subscriber::set_global_default(subscriber).map_err(io::Error::other)
}

/// How lines look.
#[derive(Debug, Clone, Copy)]
enum Lines {
    Json,
    Human(Colour),
}

/// People read a terminal, programs all else.
fn lines(format: LogFormat) -> Lines {
    let is_terminal = io::stderr().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = if is_terminal && !plain { Colour::Yes } else { Colour::No };
    match format {
        LogFormat::Json => Lines::Json,
        LogFormat::Auto if !is_terminal => Lines::Json,
        LogFormat::Auto | LogFormat::Human => Lines::Human(colour),
    }
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        if let Self::Human(colour) = *self {
            return human::write_line(&mut writer, colour, level, &fields.message, &fields.others);
        }
        let mut line = Map::new();
        line.insert("time".into(), Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into());
        line.insert("level".into(), level.as_str().into());
        line.insert("msg".into(), fields.message.into());
        line.extend(fields.others);
        writeln!(writer, "{}", Value::Object(line))
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        match field.name() {
            "message" => self.message = value.as_str().unwrap_or_default().to_owned(),
            // What does not apply is left out.
            _ if value == "" => {}
            name => _ = self.others.insert(name.to_owned(), value),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, ((value * 1_000.0).round() / 1_000.0).into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }
}
