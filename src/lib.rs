//! The filesystem an AI agent is given. This page is the map of the road a call takes.
//!
//! ```text
//! bytes -> transport -> server -> call -> toolsets/<set>/<tool> -> search, ops -> sandbox -> disk
//! ```
//!
//! `ARCHITECTURE.md` tells it in prose.

pub mod args;
pub mod audit;
pub mod bridge;
pub mod cache;
pub mod call;
pub mod cli;
pub mod client_config;
pub mod content;
pub mod control;
pub mod doctor;
#[doc(hidden)]
pub mod doors;
pub mod error;
pub mod fence;
pub mod flags;
pub mod guidebook;
pub mod limits;
pub mod mistyped;
pub mod ops;
pub mod policy;
pub mod reference;
pub mod sandbox;
pub mod search;
pub mod server;
pub mod settings;
pub mod toolsets;
pub mod transport;
