//! The sum of what a run's work has reported.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Usage;

/// A sum of usage that can be read without a lock.
#[derive(Debug, Default)]
pub(super) struct Total {
    nanos: AtomicU64,
    tokens: AtomicU64,
}

impl Total {
    pub(super) fn add(&self, usage: &Usage) {
        let add = |sum: &AtomicU64, more: u64| {
            // This cannot fail, because the function always returns a new value.
            let _ =
                sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| Some(sum.saturating_add(more)));
        };
        add(&self.nanos, usage.cost.map_or(0, |cost| cost.usd.as_nanos()));
        add(&self.tokens, usage.tokens().unwrap_or(0));
    }

    pub(super) fn load(&self) -> (u64, u64) {
        (self.nanos.load(Ordering::Relaxed), self.tokens.load(Ordering::Relaxed))
    }
}
