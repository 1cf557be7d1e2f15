//! The client's end of a child's stdin and stdout: one JSON message per line.

use super::wire::{Reply, answers, reply_of};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests waiting for their answer, by id.
type Waiting = Arc<Mutex<HashMap<String, Sender<Value>>>>;

/// A pipe pair with any number of requests under way.
pub struct StdioLine {
    input: Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    heard: Arc<Mutex<Vec<Value>>>,
}

impl StdioLine {
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        let line = Self {
            input: Mutex::new(Some(input)),
            waiting: Waiting::default(),
            heard: Arc::default(),
        };
        let (waiting, heard) = (line.waiting.clone(), line.heard.clone());
        std::thread::spawn(move || listen(output, &waiting, &heard));
        line
    }

    /// Send a request and return where its answer will arrive.
    pub fn post(&self, message: &Value) -> Receiver<Value> {
        let (sender, receiver) = channel();
        self.waiting.lock().unwrap().insert(message["id"].to_string(), sender);
        self.write(message.to_string().as_bytes());
        receiver
    }

    pub fn exchange(&self, message: &Value, limit: Duration) -> Reply {
        let answer = self.post(message).recv_timeout(limit);
        let answer = answer.unwrap_or_else(|e| panic!("no answer to {}: {e}", short(message)));
        assert!(answers(&answer, &message["id"]));
        reply_of(&answer, 200)
    }

    /// Write one line as it is.
    pub fn write(&self, bytes: &[u8]) {
        let mut input = self.input.lock().unwrap();
        let input = input.as_mut().expect("stdin is open");
        input
            .write_all(bytes)
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .expect("write");
    }

    /// Close the child's stdin.
    pub fn hang_up(&self) {
        self.input.lock().unwrap().take();
    }

    /// Everything the server said that was not an answer.
    pub fn heard(&self) -> Vec<Value> {
        self.heard.lock().unwrap().clone()
    }
}

fn listen(output: ChildStdout, waiting: &Waiting, heard: &Mutex<Vec<Value>>) {
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(e) => json!({"not_json": line, "error": e.to_string()}),
        };
        // A request of the server may have the id of one of ours.
        let id = message.get("id").filter(|_| message.get("method").is_none());
        let waiter = id.and_then(|id| waiting.lock().unwrap().remove(&id.to_string()));
        match waiter {
            Some(waiter) => drop(waiter.send(message)),
            None => heard.lock().unwrap().push(message),
        }
    }
    waiting.lock().unwrap().clear();
}

fn short(message: &Value) -> String {
    message.to_string().chars().take(300).collect()
}
