//! Collects the warnings of work on this thread, instead of printing them.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

/// Does `work`. Returns the warnings that it gave, in order.
pub(super) fn gathered<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let gatherer = tracing_subscriber::registry().with(Gatherer(Arc::clone(&warnings)));
    let result = tracing::subscriber::with_default(gatherer, work);
    let mut warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
    (result, std::mem::take(&mut *warnings))
}

struct Gatherer(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Gatherer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN {
            let mut message = Message::default();
            event.record(&mut message);
            let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            warnings.push(message.0);
        }
    }
}

/// The text of an event.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}
