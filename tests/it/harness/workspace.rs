//! Directories on disk: a temporary place with one directory per root, and what lies outside of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A temporary directory: `roots/NAME` for each root, `outside` for what must never be reached.
pub struct Workspace {
    temp: tempfile::TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        Self {
            temp: tempfile::Builder::new()
                .prefix("hostpath-")
                .tempdir()
                .expect("a temporary directory"),
        }
    }

    /// The directory of root `name`, made when missing.
    pub fn root(&self, name: &str) -> Dir {
        self.dir(&format!("roots/{name}"))
    }

    /// A directory no root contains.
    pub fn outside(&self) -> Dir {
        self.dir("outside")
    }

    /// Everything: all roots and the outside.
    pub fn all(&self) -> Dir {
        Dir { path: self.temp.path().to_owned() }
    }

    /// Let another user reach the roots and own them.
    pub fn give_to(&self, user: u32) {
        for path in [self.temp.path().to_owned(), self.all().path("roots")] {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("chmod");
        }
        run("chown", &["-R", &user.to_string(), self.all().path("roots").to_str().unwrap()]);
    }

    fn dir(&self, name: &str) -> Dir {
        let path = self.temp.path().join(name);
        fs::create_dir_all(&path).expect("make a directory");
        Dir { path }
    }
}

impl Drop for Workspace {
    /// Trees deeper than the descriptor limit are beyond `remove_dir_all`.
    fn drop(&mut self) {
        drop(Command::new("rm").arg("-rf").arg(self.temp.path()).status());
    }
}

/// A directory and shorthand for the things tests do in it. Paths are relative to it.
#[derive(Clone, Debug)]
pub struct Dir {
    path: PathBuf,
}

impl Dir {
    /// The directory at `path`.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// The path of the directory itself, as text.
    pub fn host(&self) -> &str {
        self.path.to_str().expect("a UTF-8 path")
    }

    /// Write a file, making its parents.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("make parents");
        fs::write(&path, content).unwrap_or_else(|e| panic!("write {}: {e}", path.display()));
        self
    }

    pub fn mkdir(&self, name: impl AsRef<Path>) -> &Self {
        fs::create_dir_all(self.path(name)).expect("make a directory");
        self
    }

    /// Make `name` a symbolic link to `target`.
    pub fn link(&self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("make parents");
        symlink(target, path).expect("make a link");
        self
    }

    pub fn fifo(&self, name: impl AsRef<Path>) -> &Self {
        run("mkfifo", &[self.path(name).to_str().unwrap()]);
        self
    }

    pub fn chmod(&self, name: impl AsRef<Path>, mode: u32) -> &Self {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).expect("chmod");
        self
    }

    /// Set the modification time, in seconds since the epoch.
    pub fn touch(&self, name: impl AsRef<Path>, seconds: u64) -> &Self {
        let file = fs::File::open(self.path(name)).expect("open");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .expect("set the time");
        self
    }

    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|e| panic!("read {}: {e}", path.display()))
    }

    pub fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    /// Whether there is anything of that name, a dangling link included.
    pub fn has(&self, name: impl AsRef<Path>) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    pub fn is_link(&self, name: impl AsRef<Path>) -> bool {
        self.stat(name).is_symlink()
    }

    pub fn is_dir(&self, name: impl AsRef<Path>) -> bool {
        self.has(&name) && self.stat(name).is_dir()
    }

    pub fn mode(&self, name: impl AsRef<Path>) -> u32 {
        self.stat(name).mode() & 0o7777
    }

    pub fn inode(&self, name: impl AsRef<Path>) -> u64 {
        self.stat(name).ino()
    }

    /// Names directly inside, sorted.
    pub fn names(&self, name: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).expect("read a directory");
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Kind and content of everything below that a path can reach, to be compared as a whole.
    pub fn snapshot(&self) -> BTreeMap<String, String> {
        let mut entries = BTreeMap::new();
        let mut open = vec![self.path.clone()];
        while let Some(dir) = open.pop() {
            let Ok(children) = fs::read_dir(&dir) else { continue };
            for path in children.map(|child| child.unwrap().path()) {
                // Gone since it was listed: a temporary of a call that is running.
                let Ok(stat) = fs::symlink_metadata(&path) else { continue };
                let name = path.strip_prefix(&self.path).unwrap().to_string_lossy().into_owned();
                entries.insert(name, format!("{:o} {}", stat.mode(), content_of(&path, &stat)));
                if stat.is_dir() {
                    open.push(path);
                }
            }
        }
        entries
    }

    /// Remove everything in it, but not the directory itself.
    pub fn clear(&self) {
        for child in fs::read_dir(&self.path).expect("list").map(Result::unwrap) {
            run("rm", &["-rf", child.path().to_str().expect("a name in UTF-8")]);
        }
    }

    fn stat(&self, name: impl AsRef<Path>) -> fs::Metadata {
        let path = self.path(name);
        fs::symlink_metadata(&path).unwrap_or_else(|e| panic!("stat {}: {e}", path.display()))
    }
}

fn content_of(path: &Path, stat: &fs::Metadata) -> String {
    match stat.file_type() {
        t if t.is_dir() => "directory".to_owned(),
        t if t.is_symlink() => {
            format!("link to {}", fs::read_link(path).unwrap_or_default().display())
        }
        t if t.is_file() => {
            format!("{:?}", String::from_utf8_lossy(&fs::read(path).unwrap_or_default()))
        }
        _ => "special".to_owned(),
    }
}

/// Run a command that has to succeed.
pub fn run(command: &str, args: &[&str]) {
    let status = Command::new(command).args(args).status();
    assert!(status.is_ok_and(|s| s.success()), "{command} {args:?} failed");
}
