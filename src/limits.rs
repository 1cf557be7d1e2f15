//! Every bound, once, with its reason.

use std::num::NonZero;
use std::time::Duration;

/// Largest answer in bytes of JSON: a model's context is the scarce resource (`max_answer_bytes`).
pub const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Largest explicit byte or line range: two copies must stay below the 10 MiB at which some clients abort.
pub const MAX_RANGE_BYTES: u64 = 8 << 20;
/// Largest file that `read_file` returns whole unless configured.
pub const MAX_FULL_READ_BYTES: u64 = 1 << 20;
/// Largest file that `patch_file` edits: old and new are held in memory.
pub const MAX_EDIT_BYTES: u64 = 256 << 20;
/// Largest file that is copied when something is added to it: beyond that the copy takes longer than it is worth.
pub const MAX_APPEND_COPY_BYTES: u64 = 16 << 20;
/// A longer line is shown only around its match, in characters.
pub const MAX_LINE_CHARS: usize = 2_000;
/// Bytes behind which the lines of a file are no longer counted: the start of a huge file must not take long.
pub const MAX_COUNTED_BYTES: u64 = 1 << 30;
/// Largest file that is read on the spot, without a thread of its own: below it handing over costs more than reading.
pub const MAX_AT_HAND_BYTES: u64 = 64 << 10;
/// How much of a file is looked at to call it binary.
pub const SNIFF_BYTES: usize = 8 << 10;
/// Buffer of the hash stream.
pub const HASH_BUFFER: usize = 32 << 10;
/// Buffer of other streams: large enough to make system calls rare.
pub const STREAM_BUFFER: usize = 256 << 10;
/// Longest line (or multi-line region) that a search holds in memory.
pub const MAX_SEARCH_HEAP: usize = 64 << 20;
/// Size of a compiled pattern: keeps a hostile expression from eating memory.
pub const MAX_REGEX_BYTES: usize = 10 << 20;
/// Context lines around a match.
pub const MAX_CONTEXT_LINES: u64 = 1_000;
/// Results a search counts at the most.
pub const MAX_RESULTS: u64 = 100_000_000;
/// Results when the caller does not say.
pub const DEFAULT_RESULTS: u64 = 100;
/// Seconds a search may take unless configured.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(300);
/// Seconds a call of the `files` toolset may take unless configured.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call whose time has passed may take to stop by itself: it looks at the clock between two steps. One that
/// hangs in the kernel is answered for without it.
pub const TIMEOUT_GRACE: Duration = Duration::from_secs(1);
/// Largest part of a file that `read` returns unless configured.
pub const MAX_FILE_BYTES: u64 = 10 << 20;
/// Part of a file that `read` returns when the caller does not say.
pub const DEFAULT_READ_BYTES: u64 = 1 << 20;
/// Largest file that `search` looks into when the caller does not say.
pub const DEFAULT_SEARCHED_BYTES: u64 = 10 << 20;
/// Calls per second of one client, and at once, unless configured: more than an agent makes, less than a loop does.
pub const CALLS_PER_SECOND: NonZero<u32> = NonZero::<u32>::MIN.saturating_add(199);
/// Calls of one client at once.
pub const CALL_BURST: NonZero<u32> = NonZero::<u32>::MIN.saturating_add(999);
/// Time between two warnings about one client's bursts.
pub const BURST_WARNING_INTERVAL: Duration = Duration::from_secs(10);
/// Calls after which clients that have been quiet are forgotten.
pub const FORGET_EVERY: u64 = 1_024;
/// Files a search may have in flight between the walk and the answer.
pub const SEARCH_WINDOW: usize = 2_048;
/// Directories watched for one listener: the system's own limit is shared with every other program of the user.
pub const MAX_WATCHED_DIRECTORIES: usize = 4_096;
/// Changes that may wait for a slow listener, who is then told that everything changed.
pub const PENDING_CHANGES: usize = 1_024;
/// Time in which a client tells its own roots; the call that waits for it goes on without them.
pub const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);
/// Roots of a client that are looked at.
pub const MAX_CLIENT_ROOTS: usize = 256;
/// Changes within this time are told once: an editor touches a file several times to save it.
pub const CHANGE_PAUSE: Duration = Duration::from_millis(100);
/// Resources on one page of a list: some clients give up after 64 pages.
pub const RESOURCES_PER_PAGE: u64 = 1_000;
/// Blocking calls that may run at once; more wait their turn.
pub const MAX_RUNNING_CALLS: usize = 256;
/// Largest request body or line: a large `write_file` in JSON.
pub const MAX_REQUEST_BYTES: usize = 64 << 20;
/// Time between two words about the search for what a killed server left behind.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(2);
/// Time between two progress messages of one call.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// Time to wait for another process that changes the guide's configuration.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(10);
/// Time to wait for another process that has locked a file: longer than a write takes, shorter than a client waits.
pub const FILE_LOCK_PATIENCE: Duration = Duration::from_secs(5);
/// Levels of directories below a category that are looked into for documents.
pub const MAX_DOCUMENT_DEPTH: u64 = 8;
/// Documents that one pattern gives at the most.
pub const MAX_DOCUMENTS: usize = 100;
/// Largest document that is written, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 10 << 20;
/// Longest name of a document in bytes, as filesystems have it.
pub const MAX_NAME_BYTES: usize = 255;
/// Symbolic links followed in one path, as the kernel does.
pub const MAX_LINKS: usize = 40;
/// Tries at a path that is being renamed under us.
pub const MAX_TRIES: usize = 128;
/// Longest path given to the kernel in one piece (its own limit is 4096).
pub const MAX_PATH_PIECE: usize = 4_000;
/// Connections at once unless configured (`http.max_connections`).
pub const MAX_CONNECTIONS: usize = 4_096;
/// Requests that are answered at once unless configured (`http.max_in_flight`): those that run, and a queue.
pub const MAX_IN_FLIGHT: usize = 1_024;
/// Sessions of clients that speak a version with sessions, unless configured (`http.max_sessions`).
pub const MAX_SESSIONS: usize = 10_000;
/// Largest head of a request unless configured (`http.max_header_bytes`).
pub const MAX_HEADER_BYTES: usize = 64 << 10;
/// Time to send the head of a request, and between two requests, unless configured (`http.head_timeout_seconds`).
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time to send a whole body unless configured (`http.body_timeout_seconds`).
pub const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// Time in which a client must take some of an answer unless configured (`http.write_timeout_seconds`).
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time after which a silent session ends unless configured (`http.session_idle_seconds`).
pub const SESSION_IDLE: Duration = Duration::from_secs(300);
/// Time for which an answer in a session is kept for a client that lost its connection. Clients are told to come back after
/// three seconds; every answer is held in memory for as long.
pub const RESUME_TIME: Duration = Duration::from_secs(5);
/// Time that running calls get when the server is told to stop, unless configured (`http.drain_seconds`).
pub const DRAIN: Duration = Duration::from_secs(10);
/// Longest path of the agent's files, as the kernel has it.
pub const MAX_AGENT_PATH_BYTES: usize = 4_096;
/// Bytes of file content that the cache holds unless configured.
pub const CACHE_BYTES: usize = 10 << 20;
/// Files that the cache holds unless configured.
pub const CACHE_ENTRIES: usize = 1_000;
/// Bytes of listings that the cache holds: some hundred thousand entries.
pub const MAX_LISTING_BYTES: usize = 32 << 20;
/// Unfinished uploads at once.
pub const MAX_UPLOADS: usize = 64;
/// Chunks of one upload.
pub const MAX_CHUNKS: u32 = 10_000;
/// Time after which an unfinished upload is dropped unless configured.
pub const UPLOAD_TTL: Duration = Duration::from_secs(300);
/// Time that the agent has for an answer unless configured.
pub const SAMPLING_TIMEOUT: Duration = Duration::from_secs(30);
/// Tokens that an answer of the agent may have: a file, not a chat.
pub const SAMPLING_TOKENS: u32 = 64_000;
/// Questions of one call: the first, and one for each further encoding.
pub const MAX_ROUNDS: usize = 8;
/// Clients whose call frequency and violations are counted; the one that was quiet longest is forgotten.
pub const MAX_WATCHED_CLIENTS: usize = 1_000;
/// Calls of one client in a minute that are worth a warning unless configured.
pub const BURST_PER_MINUTE: u64 = 600;

/// A directory with more entries is not searched for names like a missing one.
pub const MAX_NAMES_COMPARED: usize = 5_000;
