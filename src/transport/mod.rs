//! How bytes reach the server: standard streams, or HTTP.

pub mod access;
mod connection;
mod guard;
mod held;
pub mod http;
pub mod oauth;
mod patient;
pub mod signals;
mod signatures;
pub mod stdio;
pub mod tls;
pub mod tokens;
