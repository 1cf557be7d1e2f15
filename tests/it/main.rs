//! The server as its clients meet it: every test starts the binary and speaks the protocol.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests look at the disk themselves"
)]
#![allow(
    unused_doc_comments,
    reason = "the doc line of a test made by a macro stands above the macro"
)]

mod agent_audit;
mod agent_bridge;
mod agent_cache;
mod agent_fence;
mod agent_listing;
mod agent_load;
mod agent_results;
mod agent_state;
mod agent_upload;
mod attacks;
mod client_roots;
mod concurrent;
mod config;
mod crash;
mod desk;
mod durability;
mod faults;
mod files_copy_move;
mod files_delete;
mod files_errors;
mod files_info;
mod files_limits;
mod files_list;
mod files_read;
mod files_search;
mod files_start;
mod files_write;
mod fuzz;
mod guide_content;
mod guide_documents;
mod guide_flags;
mod guide_logging;
mod guide_near;
mod guide_prompts;
mod guide_result;
mod guide_tools;
mod harness;
mod hostile;
mod http_lifecycle;
mod http_limits;
mod http_metrics;
mod http_oauth;
mod http_support;
mod http_tls;
mod http_tokens;
mod journeys;
mod limits;
mod listening;
mod load;
mod logging;
mod malformed;
mod model;
mod mounts;
mod next_steps;
mod protocol;
mod races;
mod repository;
mod resources;
mod resources_changes;
mod ring;
mod roots_copy_move;
mod roots_deny;
mod roots_errors;
mod roots_folders;
mod roots_glob;
mod roots_grep;
mod roots_list;
mod roots_meta;
mod roots_patch;
mod roots_read;
mod roots_security;
mod roots_write;
mod scarce;
mod start_mistakes;
mod tidy;
