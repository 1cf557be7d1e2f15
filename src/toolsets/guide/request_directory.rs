//! `request_directory`: a directory on the agent's side, from the cache or by asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::{self, Judged, ToldEntry};
use super::list_directory::{safe_filter, warnings};
use super::pushed::Names;
use super::request_file::Source;
use super::{Described, Example, Told};
use crate::bridge::{Question, Reply, Ticket, directory_prompt, listing_answer};
use crate::cache::{Awaited, Depth, Stats, Tree, count};
use crate::call::Cx;
use crate::error::Error;
use crate::policy::{Access, AgentPath};
use crate::sandbox::PathArg;
use crate::toolsets::{Effect, Tool};

// Description: see README.md in this directory.

/// Get a directory listing from the agent
///
/// Served from the cache when the listing is known; otherwise the agent is asked by sampling, and may answer in words
/// or with list_directory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestDirectory {
    /// Directory, relative to the project or absolute inside it
    path: PathArg,
    /// Everything beneath it, nested
    #[serde(default)]
    recursive: bool,
    /// Only files that fit this glob, as *.md or sub/**/*.md
    pattern: Option<String>,
}

/// The listing
#[derive(Serialize, JsonSchema)]
pub struct Listing {
    #[serde(flatten)]
    names: Names,
    entries: Vec<ToldEntry>,
    /// Entries at all levels
    count: usize,
    source: Source,
    recursive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Whether entries had to be left out of this answer; ask for a sub-directory or with a pattern
    truncated: bool,
    stats: Stats,
}

impl Tool for RequestDirectory {
    type Output = Told<Listing>;
    const NAME: &'static str = "request_directory";
    const EFFECT: Effect = Effect::Reads;
    const ROOTS: &'static [(&'static str, Access)] = &[];
    const ASKS: bool = true;

    fn run(self, cx: &Cx) -> Result<Told<Listing>, Error> {
        let directory = cx.agent_path(&self.path)?;
        safe_filter(self.pattern.as_deref())?;
        match cx.reply() {
            Some(reply) => self.answered(cx, &directory, reply),
            None => self.first(cx, &directory),
        }
    }
}

impl RequestDirectory {
    fn depth(&self) -> Depth {
        if self.recursive { Depth::All } else { Depth::One }
    }

    fn first(self, cx: &Cx, directory: &AgentPath) -> Result<Told<Listing>, Error> {
        // Read before the cache is asked, so that no push goes unnoticed.
        let since = cx.cache()?.sequence();
        let known = self.known(cx, directory)?;
        cx.cache()?.count_listing(known.is_some());
        match known {
            Some(judged) => self.tell(cx, directory, judged, Source::Cache),
            None => Err(cx.ask(self.question(cx, directory, since))),
        }
    }

    /// The listing as it is known: seen through the pattern before, or whole and filtered now.
    fn known(&self, cx: &Cx, directory: &AgentPath) -> Result<Option<Judged>, Error> {
        let (cache, key, depth) = (cx.cache()?, cx.key(directory), self.depth());
        if let Some(tree) = cache.listing(&key, self.pattern.as_deref(), depth) {
            return Ok(Some(Judged { tree, filtered: Vec::new() }));
        }
        let filter = safe_filter(self.pattern.as_deref())?;
        let whole = cache.listing(&key, None, depth);
        Ok(whole.map(|tree| Judged {
            tree: entries::filtered(tree, &filter, &Default::default()),
            filtered: Vec::new(),
        }))
    }

    fn question(&self, cx: &Cx, directory: &AgentPath, since: u64) -> Question {
        let (path, push_tool) = (directory.shown(), cx.name_of("list_directory"));
        Question {
            text: directory_prompt(&path, self.depth(), self.pattern.as_deref(), &push_tool),
            path,
            push_tool,
            awaits: Awaited::Listing(cx.key(directory), self.pattern.clone()),
            ticket: Ticket { round: 0, since },
        }
    }

    fn answered(
        self,
        cx: &Cx,
        directory: &AgentPath,
        reply: &Reply,
    ) -> Result<Told<Listing>, Error> {
        let (cache, key) = (cx.cache()?, cx.key(directory));
        if cache.listed_since(&key, self.pattern.as_deref(), reply.ticket.since)
            && let Some(pushed) = self.known(cx, directory)?
        {
            return self.tell(cx, directory, pushed, Source::Agent);
        }
        let judged = self.understood(cx, directory, reply)?;
        cache.store_listing(&key, self.pattern.as_deref(), &judged.tree);
        self.tell(cx, directory, judged, Source::Agent)
    }

    /// The agent's words, judged like a push, and filtered even though the agent was asked to.
    fn understood(&self, cx: &Cx, directory: &AgentPath, reply: &Reply) -> Result<Judged, Error> {
        let path = directory.shown();
        let entries = listing_answer(reply, &path, &cx.name_of("list_directory"))?;
        let entries = entries.into_iter().map(entries::lenient).collect::<Result<Vec<_>, _>>();
        let mut entries = entries.map_err(|reason| Error::BadAnswer { path, reason })?;
        if self.recursive {
            entries.iter_mut().for_each(entries::GivenEntry::assume_complete);
        }
        entries::judge(cx, directory, entries, &safe_filter(self.pattern.as_deref())?)
    }

    fn tell(
        self,
        cx: &Cx,
        directory: &AgentPath,
        judged: Judged,
        source: Source,
    ) -> Result<Told<Listing>, Error> {
        let tree = if self.recursive { judged.tree } else { flat(judged.tree) };
        let told = entries::told(cx, directory, &tree);
        let value = Listing {
            names: directory.into(),
            count: count(&tree),
            entries: told.entries,
            truncated: told.truncated,
            source,
            recursive: self.recursive,
            pattern: self.pattern,
            stats: cx.cache()?.stats(),
        };
        let message = match judged.filtered.len() {
            0 => format!("{} entries", value.count),
            left => format!("partial success: {} entries, {left} left out", value.count),
        };
        Ok(Told::ok(value).message(message).warnings(warnings(&judged.filtered)))
    }
}

/// The first level of a tree.
fn flat(mut tree: Tree) -> Tree {
    tree.values_mut().for_each(|node| node.children = None);
    tree
}

impl Described for RequestDirectory {
    const USAGE: &'static str = "request_directory(path)               its entries\nrequest_directory(path, recursive)    everything beneath it\nrequest_directory(path, pattern)      only files that fit";
    const EXAMPLES: &'static [Example] = &[
        Example {
            shows: "The entries of a directory; value.source is cache or agent",
            arguments: r#"{"path": "docs"}"#,
        },
        Example {
            shows: "All Markdown files",
            arguments: r#"{"path": "docs", "recursive": true, "pattern": "*.md"}"#,
        },
        Example {
            shows: "A client without sampling: success is false, error_type is unsupported; push with list_directory, then repeat",
            arguments: r#"{"path": "src"}"#,
        },
    ];
    const SECURITY: &'static [&'static str] = &[
        "The path is judged before the agent is asked, and every entry of its answer afterwards.",
        "Nothing is kept of an answer that is refused or late.",
    ];
}
