//! How bytes reach the server: standard streams, or HTTP.

pub mod http;
pub mod stdio;
