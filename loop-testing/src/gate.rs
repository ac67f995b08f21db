//! Releases a reply piece by piece.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Delays a reply: each piece after the first waits until the gate is opened once more. Clones share their state.
///
/// A client that opens the gate after each piece proves that it sees each one before the server sends the next.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl Gate {
    /// Creates a closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets one more piece through.
    pub fn open(&self) {
        self.0.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        // This fails only if the semaphore is closed, and no code closes it.
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }
}
