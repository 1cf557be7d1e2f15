//! `mcp-filesystem doctor`: what this machine, this configuration and these directories are good for.

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::cli::{Serve, Transport};
use crate::policy::Principal;
use crate::policy::{Access, Granted};
use crate::sandbox::probe;
use crate::server::is_listed;
use crate::settings::Settings;
use crate::toolsets::Registry;

/// Fewer open files than this are too few for a busy server.
const OPEN_FILES: u64 = 1_024;
/// How long a server that listens is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// More than any answer of `/health`.
const ANSWER_BYTES: u64 = 4_096;
/// Fewer watches than this are used up by one editor.
const WATCHES: u64 = 8_192;

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Ok,
    /// It works, but not as well as it could.
    Warn,
    /// It does not work.
    Fail,
}

/// Where the findings go, and how many of them are bad.
struct Report<'a> {
    out: &'a mut dyn Write,
    colour: bool,
    failed: usize,
    warned: usize,
}

impl Report<'_> {
    fn section(&mut self, name: &str) -> io::Result<()> {
        writeln!(self.out, "{name}")
    }

    fn tell(&mut self, verdict: Verdict, what: impl Display) -> io::Result<()> {
        let (word, colour) = match verdict {
            Verdict::Ok => ("ok  ", 32),
            Verdict::Warn => ("warn", 33),
            Verdict::Fail => ("fail", 31),
        };
        self.failed += usize::from(verdict == Verdict::Fail);
        self.warned += usize::from(verdict == Verdict::Warn);
        match self.colour {
            true => writeln!(self.out, "  \x1b[{colour}m{word}\x1b[0m  {what}"),
            false => writeln!(self.out, "  {word}  {what}"),
        }
    }

    /// A thing that must be there, or (as a warning) should.
    fn need(&mut self, there: bool, otherwise: Verdict, yes: &str, no: &str) -> io::Result<()> {
        if there { self.tell(Verdict::Ok, yes) } else { self.tell(otherwise, no) }
    }
}

/// Check everything and print what was found; whether all that must work does.
pub fn examine(flags: &Serve, out: &mut dyn Write, colour: bool) -> io::Result<bool> {
    let mut report = Report { out, colour, failed: 0, warned: 0 };
    writeln!(report.out, "mcp-filesystem {}\n", env!("CARGO_PKG_VERSION"))?;
    report.section("configuration")?;
    match Settings::load(flags).and_then(|s| Registry::new(&s.toolsets).map(|r| (s, r))) {
        Ok((settings, registry)) => {
            configuration(&settings, &registry, &mut report)?;
            directories(&settings, &mut report)?;
        }
        Err(error) => report.tell(Verdict::Fail, error)?,
    }
    kernel(&mut report)?;
    limits(&mut report)?;
    let (failed, warned) = (report.failed, report.warned);
    match (failed, warned) {
        (0, 0) => writeln!(report.out, "\neverything is in order")?,
        (0, _) => writeln!(report.out, "\nit works; {warned} could be better")?,
        _ => writeln!(report.out, "\n{failed} must be mended, {warned} could be better")?,
    }
    Ok(failed == 0)
}

fn configuration(settings: &Settings, registry: &Registry, report: &mut Report) -> io::Result<()> {
    match &settings.config_path {
        Some(path) => report.tell(Verdict::Ok, format!("{} is valid", path.display()))?,
        None => report.tell(Verdict::Ok, "no configuration file: flags and defaults")?,
    }
    let anyone = Principal::anyone();
    let served = registry.tools().iter().filter(|tool| is_listed(&settings.policy, tool, &anyone));
    report.tell(Verdict::Ok, format!("{} tools", served.count()))?;
    if settings.transport == Transport::Stdio {
        return report.tell(Verdict::Ok, "over stdio: the host starts the server");
    }
    listening(settings, report)?;
    let is_local = matches!(settings.host.as_str(), "127.0.0.1" | "::1" | "localhost");
    if settings.http.access.is_open() && !is_local {
        let advice = "whoever reaches the port may use the roots: configure http.tokens or http.oauth, or listen on 127.0.0.1";
        report.tell(Verdict::Warn, advice)?;
    }
    Ok(())
}

fn listening(settings: &Settings, report: &mut Report) -> io::Result<()> {
    let shown = format!("{}:{}", settings.host, settings.port);
    match TcpListener::bind((settings.host.as_str(), settings.port)) {
        Ok(_) => report.tell(Verdict::Ok, format!("can listen on {shown}")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken(settings, &shown, report),
        Err(error) => report.tell(Verdict::Fail, format!("cannot listen on {shown}: {error}")),
    }
}

/// Someone listens there already: most likely this very server.
fn taken(settings: &Settings, shown: &str, report: &mut Report) -> io::Result<()> {
    if settings.http.tls.is_some() {
        let advice =
            format!("{shown} is in use: over TLS the server there is not asked for its health");
        return report.tell(Verdict::Warn, advice);
    }
    match health(&settings.host, settings.port) {
        Ok(true) => report.tell(
            Verdict::Ok,
            format!("a server is running on {shown} already, and its /health says ok"),
        ),
        _ => report.tell(
            Verdict::Fail,
            format!("{shown} is in use by something else: stop it or choose another --port"),
        ),
    }
}

/// Whether `/health` says ok there.
fn health(host: &str, port: u16) -> io::Result<bool> {
    // Who listens everywhere is reached here.
    let host = match host {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        other => other,
    };
    let address = (host, port).to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /health HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nok"))
}

fn directories(settings: &Settings, report: &mut Report) -> io::Result<()> {
    report.section("directories")?;
    for granted in settings.policy.roots() {
        directory(granted, report)?;
    }
    if let Ok(home) = settings.policy.home() {
        directory(home, report)?;
    }
    Ok(())
}

fn directory(granted: &Granted, report: &mut Report) -> io::Result<()> {
    let root = granted.root();
    let path = root.host_path().display();
    let name = if root.name().is_empty() { path.to_string() } else { root.name().to_owned() };
    let tools = granted.allowed().count();
    if tools == 0 {
        report.tell(Verdict::Warn, format!("{name}: no tool is allowed in {path}"))?;
    } else {
        report.tell(Verdict::Ok, format!("{name}: {path}, {tools} kinds of access"))?;
    }
    if !probe::resolves_beneath(root) {
        let advice = "the kernel does not resolve paths beneath it (openat2): Linux 5.6 or later is needed, and a container that lets the call through";
        report.tell(Verdict::Fail, format!("{name}: {advice}"))?;
    }
    if granted.access() == Access::Read {
        return Ok(());
    }
    if !probe::is_writable(root) {
        return report.tell(
            Verdict::Warn,
            format!("{name}: changes are allowed, but the process may not write there"),
        );
    }
    report.need(
        probe::has_nameless_files(root),
        Verdict::Warn,
        &format!("{name}: a write that is cut off leaves nothing behind (O_TMPFILE)"),
        &format!("{name}: its filesystem has no nameless files (O_TMPFILE): a killed server leaves a hidden temporary, which the next one removes"),
    )
}

fn kernel(report: &mut Report) -> io::Result<()> {
    report.section("kernel")?;
    let version = probe::kernel().unwrap_or_else(|| "of unknown version".into());
    report.tell(Verdict::Ok, format!("Linux {version}"))?;
    match probe::landlock_version() {
        Some(version) if version >= 2 => {
            report.tell(Verdict::Ok, format!("Landlock {version}: the second ring can be closed"))
        }
        Some(version) => report.tell(
            Verdict::Warn,
            format!("Landlock {version} is too old for the second ring: Linux 5.19 has it"),
        ),
        None => report.tell(
            Verdict::Warn,
            "no Landlock: only the first ring protects (kernel option lsm=landlock, Linux 5.19)",
        ),
    }
}

fn limits(report: &mut Report) -> io::Result<()> {
    report.section("limits")?;
    let files = probe::open_files();
    let shown = files.map_or("any number of".to_owned(), |files| files.to_string());
    report.need(
        files.is_none_or(|files| files >= OPEN_FILES),
        Verdict::Warn,
        &format!("{shown} open files"),
        &format!("only {shown} open files: raise ulimit -n to {OPEN_FILES}"),
    )?;
    let watches = probe::watches().unwrap_or_default();
    report.need(
        watches >= WATCHES,
        Verdict::Warn,
        &format!("{watches} watched directories"),
        &format!("only {watches} watched directories: raise fs.inotify.max_user_watches"),
    )
}
