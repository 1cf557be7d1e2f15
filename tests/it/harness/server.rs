//! The server as a child process: how it is started, what it logs, how it ends.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_mcp-filesystem");
/// A variable that names another binary to test: a release build, while the suite itself is none.
const OTHER_BINARY: &str = "TESTED_BINARY";
/// What the environment of the suite must not tell the server.
const VARIABLES: [&str; 7] = [
    "RUST_LOG",
    "FS_SERVER_ROOT",
    "FS_MAX_FILE_SIZE",
    "FS_REQUEST_TIMEOUT",
    "FS_LOG_LEVEL",
    "MG_LOG_LEVEL",
    "MCP_TOOL_PREFIX",
];
/// How long a start, an exit or a log line is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stdio or Streamable HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

/// How to start the server.
#[derive(Clone, Default)]
pub struct Launch {
    args: Vec<String>,
    directory: Option<PathBuf>,
    limits: Vec<String>,
    user: Option<u32>,
    variables: Vec<(String, String)>,
}

impl Launch {
    /// Nothing but these arguments.
    pub fn bare(args: &[&str]) -> Self {
        Self::default().args(args)
    }

    /// With a configuration file, on a transport; HTTP on a free port of the loopback.
    pub fn new(config: &Path, transport: Transport) -> Self {
        let launch = Self::bare(&["--config", config.to_str().unwrap()]);
        match transport {
            Transport::Stdio => launch.args(&["--transport", "stdio"]),
            Transport::Http => {
                launch.args(&["--transport", "http", "--host", "127.0.0.1", "--port", "0"])
            }
        }
    }

    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|a| (*a).to_owned()));
        self
    }

    /// In this working directory.
    pub fn within(mut self, directory: PathBuf) -> Self {
        self.directory = Some(directory);
        self
    }

    /// With this environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With at most this many descriptors.
    pub fn open_files(mut self, most: u32) -> Self {
        self.limits.push(format!("-n {most}"));
        self
    }

    /// Where no file may grow beyond this many kilobytes.
    pub fn file_size(mut self, kilobytes: u32) -> Self {
        self.limits.push(format!("-f {}", kilobytes * 2));
        self
    }

    /// As another user, when the suite runs as root.
    pub fn user(mut self, user: u32) -> Self {
        self.user = rustix::process::getuid().is_root().then_some(user);
        self
    }

    /// Start, and collect the log.
    pub fn start(&self) -> Server {
        let mut child = self.command().spawn().expect("start the server");
        let log = Log::collect(child.stderr.take().expect("stderr"));
        Server { child, log }
    }

    /// Run to the end with an empty stdin.
    pub fn finish(&self) -> Finished {
        let mut server = self.start();
        drop(server.child.stdin.take());
        let status = server.wait();
        server.log.wait_for_the_end();
        Finished { code: status.code(), stderr: server.log.raw().join("\n") }
    }

    fn command(&self) -> Command {
        let mut command = match self.limits.is_empty() {
            true => Command::new(binary()),
            false => {
                let limits: String = self.limits.iter().map(|l| format!("ulimit {l}; ")).collect();
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("{limits}exec \"$0\" \"$@\""), &binary()]);
                shell
            }
        };
        command
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }
}

fn binary() -> String {
    std::env::var(OTHER_BINARY).unwrap_or_else(|_| BINARY.to_owned())
}

/// A server that ended by itself.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stderr: String,
}

/// A running server; killed when dropped.
pub struct Server {
    pub child: Child,
    pub log: Log,
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The address it says it listens on.
    pub fn address(&mut self) -> SocketAddr {
        let line = self.log.wait_for("the address", |l| l["msg"] == "listening");
        let address = line["address"].as_str().unwrap_or_else(|| panic!("no address: {line}"));
        address.parse().unwrap_or_else(|e| panic!("address {address}: {e}"))
    }

    /// Ask it to stop, as an operator does.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("signal");
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("wait").is_none()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().expect("wait") {
                Some(status) => return status,
                None if Instant::now() > until => {
                    panic!("the server did not end\n{}", self.log.raw().join("\n"))
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// The numbers of its threads, the main one first.
    pub fn threads(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).expect("proc");
        let mut threads: Vec<u32> =
            tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok()).collect();
        threads.sort_unstable();
        threads.iter().map(u32::to_string).collect()
    }

    /// A figure of `/proc/PID/FILE`, the number after `key`.
    pub fn proc_figure(&self, file: &str, key: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", self.pid())).expect("proc");
        let line = text
            .lines()
            .find_map(|l| l.strip_prefix(key))
            .unwrap_or_else(|| panic!("no {key} in {file}"));
        line.split_whitespace().find_map(|w| w.parse().ok()).expect("a number")
    }

    /// Directories that it watches for changes.
    pub fn watches(&self) -> usize {
        let infos = std::fs::read_dir(format!("/proc/{}/fdinfo", self.pid())).expect("proc");
        let texts = infos.filter_map(|info| std::fs::read_to_string(info.ok()?.path()).ok());
        texts.map(|text| text.lines().filter(|l| l.starts_with("inotify wd:")).count()).sum()
    }

    /// Processor time used so far, in ticks of 10 ms.
    pub fn ticks(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("proc");
        let fields: Vec<&str> = text.rsplit(") ").next().unwrap().split(' ').collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The lines of a server's stderr, growing.
#[derive(Clone, Default)]
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
}

impl Log {
    fn collect(stderr: ChildStderr) -> Self {
        let log = Self::default();
        let Self { lines, ended } = log.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                lines.lock().unwrap().push(line);
            }
            ended.store(true, Ordering::Release);
        });
        log
    }

    /// Wait until everything that an ended server wrote has been read.
    fn wait_for_the_end(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.ended.load(Ordering::Acquire) {
            assert!(Instant::now() < until, "stderr stays open: {:?}", self.raw());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The lines as they were written.
    pub fn raw(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The lines as JSON; a line that is none becomes a string.
    pub fn lines(&self) -> Vec<Value> {
        self.raw()
            .into_iter()
            .map(|l| serde_json::from_str(&l).unwrap_or(Value::String(l)))
            .collect()
    }

    /// The first line that fits, when it comes.
    #[track_caller]
    pub fn wait_for(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(line) = self.lines().into_iter().find(|l| fits(l)) {
                return line;
            }
            assert!(
                Instant::now() < until,
                "the log never showed {what}:\n{}",
                self.raw().join("\n")
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The record of the first call of `tool`.
    #[track_caller]
    pub fn call_of(&self, tool: &str) -> Value {
        self.wait_for(tool, |l| l["msg"] == "tool call" && l["tool"] == tool)
    }

    /// The first security violation of `tool`.
    #[track_caller]
    pub fn violation_of(&self, tool: &str) -> Value {
        self.wait_for("a violation", |l| l["msg"] == "security violation" && l["tool"] == tool)
    }
}
