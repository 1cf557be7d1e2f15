//! JSON-RPC as this client writes and reads it, in both protocol eras.

use serde_json::{Value, json};

/// Newest version that begins with a handshake.
pub const LEGACY: &str = "2025-11-25";
/// The stateless version.
pub const MODERN: &str = "2026-07-28";

/// Which of the two lifecycles a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, `notifications/initialized`, then calls.
    Legacy,
    /// No handshake: every request says who asks and in which version.
    Modern,
}

/// A JSON-RPC error, with the HTTP status it came with.
#[derive(Debug, Clone)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub status: u16,
}

/// What a request comes back with.
pub type Reply = Result<Value, RpcError>;

/// A request, with what its era requires in `_meta`.
pub fn request(era: Era, id: u64, method: &str, params: Value) -> Value {
    let params = if era == Era::Modern { with_modern_meta(params) } else { params };
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A notification.
pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// The parameters of the legacy handshake.
pub fn initialize_params(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client_info()})
}

/// The name under which the suite appears in the server's log.
pub fn client_info() -> Value {
    json!({"name": "black-box", "version": "1.0"})
}

fn with_modern_meta(mut params: Value) -> Value {
    let params_map = params.as_object_mut().expect("params are an object");
    let meta = params_map.entry("_meta").or_insert_with(|| json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    meta["io.modelcontextprotocol/clientInfo"] = client_info();
    params
}

/// The reply in a response message.
pub fn reply_of(message: &Value, status: u16) -> Reply {
    assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {message}");
    match message.get("error") {
        None => {
            Ok(message.get("result").cloned().unwrap_or_else(|| panic!("no result: {message}")))
        }
        Some(error) => Err(RpcError {
            code: error["code"].as_i64().unwrap_or_else(|| panic!("no code: {message}")),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            status,
        }),
    }
}

/// Whether `message` answers request `id`.
pub fn answers(message: &Value, id: &Value) -> bool {
    message.get("id") == Some(id) && message.get("method").is_none()
}
