//! A body that keeps its place in the count of requests until the client has taken it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

/// Bytes handed over at once. An answer handed over whole would count as sent while it only waits in memory.
const SLICE: usize = 64 << 10;

/// A body and the place that it keeps.
pub struct Held {
    body: Body,
    rest: Bytes,
    _permit: OwnedSemaphorePermit,
}

impl Held {
    /// `body` keeps the place of `permit`.
    pub fn new(body: Body, permit: OwnedSemaphorePermit) -> Self {
        Self { body, rest: Bytes::new(), _permit: permit }
    }

    fn next_slice(&mut self) -> Frame<Bytes> {
        Frame::data(self.rest.split_to(self.rest.len().min(SLICE)))
    }
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_slice())));
        }
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
            Some(Ok(frame)) => frame,
            end => return Poll::Ready(end),
        };
        match frame.into_data() {
            Ok(bytes) => {
                self.rest = bytes;
                Poll::Ready(Some(Ok(self.next_slice())))
            }
            Err(trailers) => Poll::Ready(Some(Ok(trailers))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}
