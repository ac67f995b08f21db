//! A signal that asks work to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio_util::sync::CancellationToken as Token;

/// A signal that asks work to end. Clones share it.
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
#[derive(Debug, Clone)]
pub struct CancellationToken {
    token: Token,
    /// The flags of this token and its ancestors. A run checks them several times per step, and asking the token itself
    /// would take a lock each time.
    cancelled: Arc<[Arc<AtomicBool>]>,
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self { token: Token::new(), cancelled: [Arc::default()].into() }
    }

    /// Cancels this token, its clones and its children. You cannot undo this.
    pub fn cancel(&self) {
        // Set the flag first, so that tasks which the token wakes see it.
        self.cancelled[0].store(true, Ordering::Release);
        self.token.cancel();
    }

    /// Returns whether this token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.iter().any(|cancelled| cancelled.load(Ordering::Acquire))
    }

    /// Resolves when this token is cancelled, or at once if it already was.
    ///
    /// # Cancel safety
    /// Cancel safe: dropping the future changes nothing.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    /// Creates a token that is cancelled together with this one. You can also cancel it alone.
    #[must_use]
    pub fn child_token(&self) -> Self {
        let its_own = [Arc::default()].into_iter();
        let cancelled = its_own.chain(self.cancelled.iter().cloned()).collect();
        Self { token: self.token.child_token(), cancelled }
    }

    /// Returns a guard that cancels this token when dropped.
    pub const fn drop_guard(self) -> CancelOnDrop {
        CancelOnDrop { token: self, is_armed: true }
    }
}

impl Default for CancellationToken {
    fn default() -> Self {
        Self::new()
    }
}

/// A guard that cancels its token when dropped. Created by [`CancellationToken::drop_guard`].
#[derive(Debug)]
#[must_use = "dropping it cancels its token"]
pub struct CancelOnDrop {
    token: CancellationToken,
    is_armed: bool,
}

impl CancelOnDrop {
    /// Cancels the token now.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// Returns the token without cancelling it.
    pub fn disarm(mut self) -> CancellationToken {
        self.is_armed = false;
        self.token.clone()
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if self.is_armed {
            self.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_cancelled_with_those_it_came_from_and_with_no_other() {
        let whole = CancellationToken::new();
        let part = whole.child_token();
        let (piece, other) = (part.child_token(), whole.child_token());
        part.clone().cancel();
        let cancelled = [&whole, &part, &piece, &other].map(CancellationToken::is_cancelled);
        assert_eq!(cancelled, [false, true, true, false]);
        whole.cancel();
        assert!(other.is_cancelled() && other.child_token().is_cancelled());
    }

    #[tokio::test]
    async fn who_waits_for_a_token_finds_it_cancelled() {
        let whole = CancellationToken::new();
        let piece = whole.child_token().child_token();
        whole.cancel();
        piece.cancelled().await;
        assert!(piece.is_cancelled());
    }

    #[test]
    fn a_guard_cancels_its_token_unless_it_is_disarmed() {
        let token = CancellationToken::new();
        assert!(!token.clone().drop_guard().disarm().is_cancelled());
        let guard = token.clone().drop_guard();
        assert!(!token.is_cancelled());
        drop(guard);
        assert!(token.is_cancelled());
        let early = CancellationToken::new();
        let guard = early.clone().drop_guard();
        guard.cancel();
        assert!(early.is_cancelled());
    }
}
