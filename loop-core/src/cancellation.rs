//! A signal that something has to come to its end.

use tokio_util::sync::{CancellationToken as Token, DropGuard};

/// A signal that something has to come to its end. Clones share it.
///
/// ```
/// use loop_core::CancellationToken;
/// let whole = CancellationToken::new();
/// let part = whole.child_token();
/// part.cancel();
/// assert!(part.is_cancelled() && !whole.is_cancelled());
/// whole.cancel();
/// assert!(whole.child_token().is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Token);

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels it, its clones and its children. There is no way back.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Resolves when it is cancelled, at once if it was.
    ///
    /// # Cancel safety
    /// Cancel safe: dropping the future changes nothing.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// A token that is cancelled with this one, and can be cancelled alone.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Cancels it when the guard is dropped.
    pub fn drop_guard(self) -> CancelOnDrop {
        CancelOnDrop(self.0.drop_guard())
    }
}

/// Cancels its token when it is dropped. Made by [`CancellationToken::drop_guard`].
#[derive(Debug)]
#[must_use = "dropping it cancels its token"]
pub struct CancelOnDrop(DropGuard);

impl CancelOnDrop {
    /// Cancels the token now.
    pub fn cancel(&self) {
        self.0.token().cancel();
    }

    /// Gives the token back, and cancels nothing.
    pub fn disarm(self) -> CancellationToken {
        CancellationToken(self.0.disarm())
    }
}
