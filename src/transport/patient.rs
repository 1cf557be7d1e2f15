//! A stream with limits to its patience: for the first byte that comes, and for bytes that nobody takes.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails when the other side stays silent from the start, or stops taking what is written.
pub struct Patient<S> {
    stream: S,
    first_byte: Option<Pin<Box<Sleep>>>,
    stalled: Option<Pin<Box<Sleep>>>,
    write_limit: Duration,
}

impl<S> Patient<S> {
    /// `stream`, which must say something within `first_byte` and never keep a write waiting for `write_limit`.
    pub fn new(stream: S, first_byte: Duration, write_limit: Duration) -> Self {
        let first_byte = Some(Box::pin(sleep(first_byte)));
        Self { stream, first_byte, stalled: None, write_limit }
    }

    /// The outcome of a write; while it is pending the clock runs.
    fn timed<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let limit = self.write_limit;
        let clock = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ran_out(clock, context).map(Err)
    }
}

fn ran_out(clock: &mut Pin<Box<Sleep>>, context: &mut Context<'_>) -> Poll<io::Error> {
    clock.as_mut().poll(context).map(|()| io::ErrorKind::TimedOut.into())
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_read(context, buffer);
        if outcome.is_ready() {
            this.first_byte = None;
            return outcome;
        }
        match &mut this.first_byte {
            Some(clock) => ran_out(clock, context).map(Err),
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.timed(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.timed(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        this.timed(context, outcome)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
        this.timed(context, outcome)
    }
}
