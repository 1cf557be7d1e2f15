//! What the clients of a load ask for, and what must come back.

use crate::harness::random::Random;
use crate::harness::{And, Dir, has, ws};
use serde_json::{Value, json};

/// Directories of files that stay as they are, and files in each.
const DIRECTORIES: usize = 10;
const FILES: usize = 20;

fn text_of(directory: usize, file: usize) -> String {
    let lines = 10 + file * 13 % 50;
    let line = |at: usize| match at == file % 10 {
        true => format!("directory {directory} file {file} needle-{file}\n"),
        false => format!("directory {directory} file {file} line {at}\n"),
    };
    (0..lines).map(line).collect()
}

fn name_of(directory: usize, file: usize) -> String {
    format!("static/{directory}/{file:02}.txt")
}

/// Make the files.
pub fn prepare(ws: &Dir) {
    for directory in 0..DIRECTORIES {
        for file in 0..FILES {
            ws.write(name_of(directory, file), text_of(directory, file));
        }
    }
    ws.mkdir("own").write("large.txt", "x".repeat(7 << 20));
}

/// One call, and the parts that its answer must have.
pub struct Task {
    pub tool: &'static str,
    pub arguments: Value,
    expected: Value,
    /// What the client's own file is when the call is acknowledged.
    pub leaves: Option<String>,
}

impl Task {
    /// The next thing that client `number` does, whose own file is `own`.
    pub fn next(random: &mut Random, number: usize, own: Option<&str>) -> Self {
        let (directory, file) = (random.below(DIRECTORIES), random.below(FILES));
        match (random.below(20), own) {
            (0..3, _) | (3..6, None) => write_own(random, number),
            (3..6, Some(own)) => read(&own_name(number), own),
            (6..8, _) => list(directory),
            (8..10, _) => grep(directory, file),
            (10, _) => stat(directory, file),
            _ => read(&name_of(directory, file), &text_of(directory, file)),
        }
    }

    /// Whether this is the answer.
    pub fn is_answered_by(&self, result: &Value) -> bool {
        result["isError"] == json!(false) && has(&result["structuredContent"], &self.expected)
    }
}

fn own_name(number: usize) -> String {
    format!("own/{number}.txt")
}

fn task(tool: &'static str, arguments: Value, expected: Value) -> Task {
    Task { tool, arguments, expected, leaves: None }
}

fn write_own(random: &mut Random, number: usize) -> Task {
    let line = format!("{number} wrote {:016x}\n", random.next());
    let content = line.repeat(1 + random.below(100));
    let arguments = ws(&own_name(number)).and("content", &*content);
    let expected = json!({"size": content.len(), "mode": "overwrite"});
    Task { leaves: Some(content), ..task("write_file", arguments, expected) }
}

fn read(name: &str, content: &str) -> Task {
    let expected = json!({"content": content, "size": content.len(), "truncated": false});
    task("read_file", ws(name), expected)
}

fn list(directory: usize) -> Task {
    let entry =
        |file| json!({"name": format!("{file:02}.txt"), "size": text_of(directory, file).len()});
    let entries: Vec<Value> = (0..FILES).map(entry).collect();
    let expected = json!({"count": FILES, "entries": entries});
    task("list_folder", ws(&format!("static/{directory}")), expected)
}

fn grep(directory: usize, file: usize) -> Task {
    let arguments = ws(&format!("static/{directory}")).and("pattern", format!("needle-{file}$"));
    let found = json!({"file": name_of(directory, file), "line_number": file % 10 + 1});
    task("grep", arguments, json!({"total_matches": 1, "matches": [found]}))
}

fn stat(directory: usize, file: usize) -> Task {
    let expected = json!({"size": text_of(directory, file).len(), "is_directory": false});
    task("stat_file", ws(&name_of(directory, file)), expected)
}
