//! The newest output of a command, while it runs.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

use crate::output::keep_end;

/// The most bytes that wait for the observer: more than a terminal shows.
const MAX_WAITING: usize = 8 * 1024;

/// Passes the output of a call's commands on to somebody who watches. Only the newest bytes wait.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveOutput(Arc<WaitingOutput>);

#[derive(Debug, Default)]
struct WaitingOutput {
    bytes: Mutex<Vec<u8>>,
    arrived: Notify,
}

impl LiveOutput {
    /// Adds the next bytes of the output.
    pub(super) fn push(&self, bytes: &[u8]) {
        keep_end(&mut self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner), bytes, MAX_WAITING);
        self.0.arrived.notify_one();
    }

    /// Waits for output, and takes it.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub(super) async fn next(&self) -> Vec<u8> {
        loop {
            self.0.arrived.notified().await;
            let bytes = mem::take(&mut *self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner));
            if !bytes.is_empty() {
                return bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_newest_output_waits_in_order(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..6000), 1..6)) {
            let output = LiveOutput::default();
            parts.iter().for_each(|part| output.push(part));
            let all = parts.concat();
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            prop_assert_eq!(runtime.block_on(output.next()), &all[all.len().saturating_sub(MAX_WAITING)..]);
        }
    }
}
