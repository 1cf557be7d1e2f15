//! `cache_file`: the agent brings files, one or many at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pushed::{Evicted, GivenMetadata, Held, bytes_of, new_file, size_warning};
use super::{Described, Example, Told};
use crate::cache::{Mtime, NewFile, Stats};
use crate::call::Cx;
use crate::error::{Complaint, Error};
use crate::policy::{Access, AgentPath};
use crate::sandbox::PathArg;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Cache file contents on the server
///
/// Brings one file (path and content) or several (files, all or none) from the agent's filesystem, so that the
/// server can use them. A file that is cached already is replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheFile {
    /// File, relative to the project or absolute inside it
    path: Option<PathArg>,
    /// Its content: text, or base64 with encoding base64
    content: Option<String>,
    /// Encoding of the file, or base64 when content is base64 [default: utf-8]
    encoding: Option<String>,
    /// When the file was last changed: seconds since 1970, or a date such as 2026-01-02T03:04:05Z
    mtime: Option<Mtime>,
    /// Bytes in the file, to be compared with the content
    size: Option<u64>,
    /// The same three in one object
    metadata: Option<GivenMetadata>,
    /// Several files instead of one, all or none
    files: Option<Vec<GivenFile>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct GivenFile {
    /// As the argument path
    path: PathArg,
    /// As the argument content
    content: String,
    /// As the argument encoding
    encoding: Option<String>,
    /// As the argument mtime
    mtime: Option<Mtime>,
    /// As the argument size
    size: Option<u64>,
    /// As the argument metadata
    metadata: Option<GivenMetadata>,
}

/// What is now cached
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Cached {
    /// One file
    One(One),
    /// Several files
    Many(Many),
}

/// One file
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct One {
    #[serde(flatten)]
    held: Held,
    evicted: Evicted,
    stats: Stats,
}

/// Several files
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Many {
    files_cached: usize,
    bytes: usize,
    files: Vec<Held>,
    evicted: Evicted,
    stats: Stats,
}

impl Tool for CacheFile {
    type Output = Told<Cached>;
    const NAME: &'static str = "cache_file";
    const EFFECT: Effect = Effect::Replaces;
    const ROOTS: &'static [(&'static str, Access)] = &[];

    fn run(self, cx: &Cx) -> Result<Told<Cached>, Error> {
        match self.given()? {
            Given::One(file) => cache(cx, vec![file], one),
            Given::Many(files) => cache(cx, files, many),
        }
    }
}

/// What was given: the two ways exclude each other.
enum Given {
    One(GivenFile),
    Many(Vec<GivenFile>),
}

impl CacheFile {
    fn given(self) -> Result<Given, Error> {
        let alone = self.path.is_some() || self.content.is_some();
        match (self.path, self.content, self.files) {
            (Some(path), Some(content), None) => {
                let (encoding, mtime, size) = (self.encoding, self.mtime, self.size);
                let metadata = self.metadata;
                Ok(Given::One(GivenFile { path, content, encoding, mtime, size, metadata }))
            }
            (_, _, Some(_)) if alone => {
                Err(Error::argument("files", "files: give either path and content, or files"))
            }
            (_, _, Some(files)) if files.is_empty() => {
                Err(Error::argument("files", "files: expected at least one file"))
            }
            (_, _, Some(files)) => Ok(Given::Many(files)),
            (path, content, None) => Err(Error::Arguments(missing(path, content))),
        }
    }
}

fn missing(path: Option<PathArg>, content: Option<String>) -> Vec<Complaint> {
    let absent = [("path", path.is_none()), ("content", content.is_none())];
    let absent = absent.into_iter().filter(|(_, is_absent)| *is_absent);
    absent.map(|(name, _)| Complaint::new(name, format!("{name} is required"))).collect()
}

type Render = fn(Vec<Held>, usize, Evicted, Stats) -> Option<Cached>;

/// Every path is judged and every content read before anything is held.
fn cache(cx: &Cx, files: Vec<GivenFile>, render: Render) -> Result<Told<Cached>, Error> {
    let paths = files.iter().map(|file| cx.agent_path(&file.path));
    let paths = paths.collect::<Result<Vec<AgentPath>, Error>>()?;
    let mut warnings = Vec::new();
    let mut new = Vec::new();
    for (file, path) in files.into_iter().zip(&paths) {
        new.push(understood(cx, file, path, &mut warnings)?);
    }
    let bytes = new.iter().map(|file| file.bytes.len()).sum();
    let (stored, evicted) = cx.cache()?.store(new)?;
    let held = paths.iter().zip(&stored).map(|(path, stored)| Held::new(path, stored)).collect();
    let cached = render(held, bytes, Evicted::new(cx, &evicted), cx.cache()?.stats());
    let cached = cached.ok_or_else(|| Error::Internal("nothing was cached".into()))?;
    let message = match (warnings.is_empty(), paths.as_slice()) {
        (false, _) => "partial success: cached, but not quite as described".to_owned(),
        (true, [path]) => format!("File content cached for {}", path.shown()),
        (true, paths) => format!("{} files cached", paths.len()),
    };
    Ok(Told::ok(cached).message(message).warnings(warnings))
}

fn understood(
    cx: &Cx,
    file: GivenFile,
    path: &AgentPath,
    warnings: &mut Vec<String>,
) -> Result<NewFile, Error> {
    let GivenFile { content, encoding, mtime, size, metadata, .. } = file;
    let given = GivenMetadata { mtime, encoding, size }.or(metadata);
    let bytes = bytes_of(&content, given.form()?, path)?;
    warnings.extend(size_warning(path, given.size, bytes.len()));
    new_file(cx, path, bytes, &given)
}

fn one(held: Vec<Held>, _: usize, evicted: Evicted, stats: Stats) -> Option<Cached> {
    let held = held.into_iter().next()?;
    Some(Cached::One(One { held, evicted, stats }))
}

fn many(files: Vec<Held>, bytes: usize, evicted: Evicted, stats: Stats) -> Option<Cached> {
    Some(Cached::Many(Many { files_cached: files.len(), bytes, files, evicted, stats }))
}

impl Described for CacheFile {
    const USAGE: &'static str = "cache_file(path, content)                     one file\ncache_file(path, content, encoding, mtime)    with what is known about it\ncache_file(files)                             several, all or none";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "One file; value.status is cached, or updated when it was there before",
            arguments: r##"{"path": "docs/readme.md", "content": "# Readme\n", "mtime": 1767323045}"##,
        },
        Example {
            shows: "Several files at once",
            arguments: r#"{"files": [{"path": "docs/a.md", "content": "a"}, {"path": "src/b.bin", "content": "AAEC", "encoding": "base64"}]}"#,
        },
        Example {
            shows: "A path outside the allowed directories: success is false, error_type is security, nothing is cached",
            arguments: r#"{"path": "/etc/passwd", "content": "x"}"#,
        },
        Example {
            shows: "The answer to a request of request_file for docs/readme.md, sent while it waits",
            arguments: r##"{"path": "docs/readme.md", "content": "# Readme\n"}"##,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "Only paths in the allowed directories of the project; links are followed and judged where they exist on the server.",
        "Every path of a call is judged before anything is cached.",
        "Content is never logged; refused paths are.",
    ];
}
