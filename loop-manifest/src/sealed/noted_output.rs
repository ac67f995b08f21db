//! The output of a check, in which tests are counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most output to keep, in bytes.
const MOST: usize = 16 << 20;

/// The beginning of an output, shared with the listener that fills it.
#[derive(Debug, Default)]
pub(super) struct NotedOutput(Arc<Mutex<Vec<u8>>>);

impl NotedOutput {
    /// Returns a listener that keeps the output of a check.
    pub(super) fn listener(&self) -> impl FnMut(&[u8]) + Send + use<> {
        let output = Arc::clone(&self.0);
        move |bytes| {
            let mut output = locked(&output);
            let room = MOST.saturating_sub(output.len());
            output.extend(bytes.iter().take(room));
        }
    }

    /// Forgets the output.
    pub(super) fn clear(&self) {
        locked(&self.0).clear();
    }

    /// Returns the output.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&locked(&self.0)).into_owned()
    }
}

fn locked(output: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}
