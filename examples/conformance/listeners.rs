//! Who listens for changes of the lists, and how they are told.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::service::{SubscriptionContext, SubscriptionSink};

/// The streams that are open.
#[derive(Clone, Default)]
pub struct Listeners(Arc<Mutex<Vec<SubscriptionSink>>>);

impl Listeners {
    /// Keep a stream until its client leaves.
    pub async fn hold(&self, context: SubscriptionContext) {
        let sink = context.sink().clone();
        let id = sink.id().clone();
        self.lock().push(sink);
        context.cancelled().await;
        self.lock().retain(|sink| *sink.id() != id);
    }

    /// Tell all that want to know that the list of `what` has changed.
    pub async fn tell(&self, what: &str) {
        let sinks = self.lock().clone();
        for sink in sinks {
            // The sink itself keeps back what its client did not ask for.
            let _ = match what {
                "test_trigger_tool_change" => sink.notify_tool_list_changed().await,
                "test_trigger_prompt_change" => sink.notify_prompt_list_changed().await,
                _ => sink.notify_resource_list_changed().await,
            };
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<SubscriptionSink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
