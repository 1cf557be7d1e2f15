//! `strace` on the thread of a server that runs the calls: which system calls one makes, and what if one of them fails.

use super::*;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Calls that can not fail in a way that matters: closing frees a descriptor whatever it answers, and the others ask
/// nothing of the disk.
const HARMLESS: [&str; 3] = ["close", "fcntl", "lseek"];

/// One system call that a tool makes on a file: its name, and how many of that name came before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub name: String,
    pub number: usize,
    pub line: String,
}

/// A server over HTTP whose calls can be watched.
pub struct Watched {
    pub bench: Bench,
    /// Threads that serve the protocol; the calls run in others.
    protocol: Vec<String>,
}

impl Watched {
    /// Make `start` a watched server, or say on stderr why that can not be.
    pub fn new(start: impl FnOnce() -> Bench) -> Option<Self> {
        let bench = start();
        let protocol = bench.server.threads();
        let watched = Self { bench, protocol };
        let possible = watched.attach(&[]).is_some();
        if !possible {
            eprintln!("left out: strace is not there, or may not look at other processes");
        }
        possible.then_some(watched)
    }

    /// The system calls on files that `call` makes, in order.
    pub fn steps(&self, call: impl Fn()) -> Vec<Step> {
        let mut seen = HashMap::<String, usize>::new();
        let mut steps = Vec::new();
        for line in self.during(&[], &call) {
            let Some((name, _)) = line.split_once('(') else { continue };
            let number = seen.entry(name.to_owned()).or_default();
            *number += 1;
            if is_about_files(name, &line, self.bench.workspace.all().host()) {
                steps.push(Step { name: name.to_owned(), number: *number, line: line.clone() });
            }
        }
        steps
    }

    /// Make `call` while that step of it fails with `error`; whether the fault was met.
    pub fn failing(&self, step: &Step, error: &str, call: impl Fn()) -> bool {
        let inject = format!("inject={}:error={error}:when={}", step.name, step.number);
        self.during(&["-e", &inject], &call).iter().any(|line| line.contains("(INJECTED)"))
    }

    /// What strace says of `call`.
    fn during(&self, flags: &[&str], call: &dyn Fn()) -> Vec<String> {
        let tracer = self.attach(flags).expect("strace attaches");
        call();
        tracer.detach()
    }

    /// What strace says of the threads that serve the protocol while `call` is made.
    pub fn listening(&self, call: impl Fn()) -> Vec<String> {
        let protocol: Vec<_> = self.protocol.iter().collect();
        let tracer = self.attach_to(&protocol, &[]).expect("strace attaches");
        call();
        tracer.detach()
    }

    fn attach(&self, flags: &[&str]) -> Option<Tracer> {
        let threads = self.bench.server.threads();
        let workers: Vec<_> = threads.iter().filter(|t| !self.protocol.contains(t)).collect();
        // Before the first call there is none; then the main thread does, to see whether it can be done at all.
        let pids = if workers.is_empty() { self.protocol[..1].iter().collect() } else { workers };
        self.attach_to(&pids, flags)
    }

    fn attach_to(&self, pids: &[&String], flags: &[&str]) -> Option<Tracer> {
        let output = self.bench.workspace.all().path("strace.out");
        let mut command = Command::new("strace");
        command.args(["-y", "-s", "0", "-e", "trace=%file,%desc"]).args(flags);
        command.arg("-o").arg(&output).stderr(Stdio::piped());
        pids.iter().for_each(|pid| _ = command.args(["-p", pid]));
        let mut child = command.spawn().ok()?;
        let mut words = BufReader::new(child.stderr.take()?).lines().map_while(Result::ok);
        let attached = pids.iter().all(|_| words.next().is_some_and(|w| w.ends_with("attached")));
        // Its last words have to go somewhere.
        std::thread::spawn(move || words.for_each(drop));
        let tracer = Tracer { child, output };
        attached.then_some(tracer)
    }
}

/// A strace that is running.
struct Tracer {
    child: Child,
    output: std::path::PathBuf,
}

impl Tracer {
    fn detach(mut self) -> Vec<String> {
        self.stop();
        let text = std::fs::read_to_string(&self.output).unwrap_or_default();
        // With several threads each line begins with the thread's number.
        let call = |line: &str| {
            line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').to_owned()
        };
        text.lines().map(call).collect()
    }

    fn stop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        drop(self.child.wait());
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn is_about_files(name: &str, line: &str, place: &str) -> bool {
    !HARMLESS.contains(&name) && line.contains(place)
}
