//! Letting a reply through piece by piece.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Holds a reply up: each piece after the first waits until the gate was opened once more. Clones are the
/// same gate.
///
/// A client that opens it when it has seen a piece proves that it sees each before the next is sent.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets one more piece through.
    pub fn open(&self) {
        self.0.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        // It fails only if the semaphore is closed, which nobody does.
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }
}
