//! `/metrics`: what is counted, in the text that Prometheus reads.

use crate::harness::http::Request;
use crate::harness::*;
use crate::http_support::*;
use serde_json::json;

/// Calls are counted by tool and outcome, with their time and their bytes; denials by kind.
#[test]
fn calls_are_counted() {
    let b = HTTP.bench();
    b.ws.write("f.txt", "hello");
    for _ in 0..3 {
        b.ok("read_file", ws("f.txt"));
    }
    b.fails("read_file", ws("ghost"));
    b.fails("read_file", ws("../x"));
    let calls = |outcome: &str| {
        metric(
            &b,
            &format!("mcp_filesystem_calls_total{{tool=\"read_file\",outcome=\"{outcome}\"}}"),
        )
    };
    assert_eq!(calls("success"), 3.0);
    assert_eq!(calls("not_found"), 1.0);
    assert_eq!(calls("path_validation_error"), 1.0);
    assert_eq!(metric(&b, "mcp_filesystem_denials_total{kind=\"path_traversal\"}"), 1.0);
    assert_eq!(metric(&b, "mcp_filesystem_call_duration_seconds_count{tool=\"read_file\"}"), 5.0);
    let last = "mcp_filesystem_call_duration_seconds_bucket{tool=\"read_file\",le=\"+Inf\"}";
    assert_eq!(metric(&b, last), 5.0);
    assert!(metric(&b, "mcp_filesystem_call_duration_seconds_sum{tool=\"read_file\"}") > 0.0);
    assert!(metric(&b, "mcp_filesystem_response_bytes_total{tool=\"read_file\"}") > 15.0);
    assert!(metric(&b, "mcp_filesystem_http_request_bytes_total") > 100.0);
    eventually("only ours is open", || metric(&b, "mcp_filesystem_http_connections") == 1.0);
    assert!(metric(&b, "mcp_filesystem_http_responses_total{status=\"200\"}") >= 5.0);
}

/// Every line is a comment or a sample of a family that was announced; buckets grow; no path is shown.
#[test]
fn the_page_is_well_formed() {
    let b = HTTP.bench();
    b.ws.write("a-telling-name.txt", "hello");
    b.ok("read_file", ws("a-telling-name.txt"));
    let page = get(&b, "/metrics");
    assert_eq!(page.header("Content-Type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = page.text();
    assert!(!text.contains("telling") && !text.contains("hostpath"), "{text}");
    let mut families = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            families.push(rest.split(' ').next().unwrap().to_owned());
        } else if !line.starts_with("# HELP ") {
            let name = line.split(['{', ' ']).next().unwrap();
            assert!(families.iter().any(|family| name.starts_with(family)), "{line}");
            assert!(line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
        }
    }
    let buckets: Vec<f64> = text
        .lines()
        .filter(|line| line.starts_with("mcp_filesystem_call_duration_seconds_bucket"))
        .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(buckets.len(), 12);
    assert!(buckets.is_sorted(), "{buckets:?}");
}

/// Refusals at the door are counted by kind; metrics can be switched off.
#[test]
fn refusals_are_counted_and_metrics_can_be_off() {
    let b = HTTP.bench();
    let list = message("tools/list", json!({}));
    Request::modern(&list).header("Origin", "https://evil.example").send(b.address());
    assert_eq!(metric(&b, "mcp_filesystem_denials_total{kind=\"foreign_host_or_origin\"}"), 1.0);
    let off = HTTP.with(Config::roots(&["workspace"]).set("http", json!({"metrics": false})));
    assert_eq!(get(&off, "/metrics").status, 404);
}
