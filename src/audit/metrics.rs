//! What the process has done so far, as counters and as the text that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Record;
use crate::error::Error;

/// The counters of this process.
pub static METRICS: Metrics = Metrics::new();

/// Upper ends of the buckets of the duration histogram, in seconds: from a cached read to a long search.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0, 300.0];

/// Counters. Their labels come from small fixed sets: never a path, never a name that a client chose.
pub struct Metrics {
    tools: Mutex<BTreeMap<String, PerTool>>,
    denials: Mutex<BTreeMap<&'static str, u64>>,
    responses: Mutex<BTreeMap<u16, u64>>,
    refusals: Mutex<BTreeMap<&'static str, u64>>,
    request_bytes: AtomicU64,
}

#[derive(Default)]
struct PerTool {
    outcomes: BTreeMap<&'static str, u64>,
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
    calls: u64,
    response_bytes: u64,
}

impl PerTool {
    fn count(&mut self, code: &'static str, took: Duration, bytes: usize) {
        *self.outcomes.entry(code).or_default() += 1;
        let seconds = took.as_secs_f64();
        for (bucket, end) in self.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(seconds <= end);
        }
        self.seconds += seconds;
        self.calls += 1;
        self.response_bytes += bytes as u64;
    }
}

/// What the HTTP server holds at this moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gauges {
    /// Open connections.
    pub connections: usize,
    /// Requests that are being answered.
    pub in_flight: usize,
    /// Sessions of clients that speak a version with sessions.
    pub sessions: usize,
}

impl Metrics {
    const fn new() -> Self {
        Self {
            tools: Mutex::new(BTreeMap::new()),
            denials: Mutex::new(BTreeMap::new()),
            responses: Mutex::new(BTreeMap::new()),
            refusals: Mutex::new(BTreeMap::new()),
            request_bytes: AtomicU64::new(0),
        }
    }

    /// Count a call.
    pub fn count_call(&self, record: &Record<'_>) {
        let code = record.error.map_or(record.ending, Error::code);
        let mut tools = held(&self.tools);
        // A map entry by reference first: the name is copied once per tool, not once per call.
        if !tools.contains_key(&record.tool.name) {
            tools.insert(record.tool.name.clone(), PerTool::default());
        }
        if let Some(tool) = tools.get_mut(&record.tool.name) {
            tool.count(code, record.duration, record.response_bytes);
        }
        drop(tools);
        if let Some(kind) = record.error.and_then(Error::violation) {
            self.count_denial(kind);
        }
    }

    /// Count something that was refused for its caller or its path.
    pub fn count_denial(&self, kind: &'static str) {
        *held(&self.denials).entry(kind).or_default() += 1;
    }

    /// Count an HTTP response.
    pub fn count_response(&self, status: u16) {
        *held(&self.responses).entry(status).or_default() += 1;
    }

    /// Count a request or connection that was turned away because there were too many.
    pub fn count_refusal(&self, limit: &'static str) {
        *held(&self.refusals).entry(limit).or_default() += 1;
    }

    /// Count bytes of request bodies.
    pub fn count_request_bytes(&self, bytes: u64) {
        self.request_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// All of it, in the text format of Prometheus.
    pub fn render(&self, gauges: Gauges) -> String {
        let mut page = Page::default();
        page.tools(&held(&self.tools));
        page.family("denials_total", "counter", "Calls and requests refused by policy, by kind.");
        for (kind, count) in &*held(&self.denials) {
            page.sample("denials_total", &[("kind", kind)], count);
        }
        page.family("http_responses_total", "counter", "HTTP responses by status.");
        for (status, count) in &*held(&self.responses) {
            page.sample("http_responses_total", &[("status", &status.to_string())], count);
        }
        page.family("http_refused_total", "counter", "Turned away because a limit was reached.");
        for (limit, count) in &*held(&self.refusals) {
            page.sample("http_refused_total", &[("limit", limit)], count);
        }
        let received = self.request_bytes.load(Ordering::Relaxed);
        page.single("http_request_bytes_total", "counter", "Bytes of request bodies.", received);
        page.single("http_connections", "gauge", "Open connections.", gauges.connections);
        page.single("http_in_flight", "gauge", "Requests being answered.", gauges.in_flight);
        page.single("http_sessions", "gauge", "Sessions held.", gauges.sessions);
        page.family("build_info", "gauge", "The version of the server.");
        page.sample("build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.text
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The page as it grows.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        _ = writeln!(self.text, "# HELP mcp_filesystem_{name} {help}");
        _ = writeln!(self.text, "# TYPE mcp_filesystem_{name} {kind}");
    }

    /// Label values are tool names, codes and numbers: none needs escaping.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        _ = writeln!(self.text, "mcp_filesystem_{name}{labels} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    fn tools(&mut self, tools: &BTreeMap<String, PerTool>) {
        self.family("calls_total", "counter", "Tool calls by outcome: success or an error code.");
        for (name, tool) in tools {
            for (outcome, count) in &tool.outcomes {
                self.sample("calls_total", &[("tool", name), ("outcome", outcome)], count);
            }
        }
        self.family("call_duration_seconds", "histogram", "How long tool calls took.");
        for (name, tool) in tools {
            self.histogram(name, tool);
        }
        self.family("response_bytes_total", "counter", "Bytes of text in answers to tool calls.");
        for (name, tool) in tools {
            self.sample("response_bytes_total", &[("tool", name)], tool.response_bytes);
        }
    }

    fn histogram(&mut self, name: &str, tool: &PerTool) {
        let bucket = "call_duration_seconds_bucket";
        for (count, end) in tool.buckets.iter().zip(BUCKETS) {
            self.sample(bucket, &[("tool", name), ("le", &end.to_string())], count);
        }
        self.sample(bucket, &[("tool", name), ("le", "+Inf")], tool.calls);
        self.sample("call_duration_seconds_sum", &[("tool", name)], tool.seconds);
        self.sample("call_duration_seconds_count", &[("tool", name)], tool.calls);
    }
}
