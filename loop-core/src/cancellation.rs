//! A signal that asks work to end.

use std::{
    borrow::Borrow,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

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
    /// The switch of this token, followed by those of its ancestors.
    switches: Arc<[Arc<Switch>]>,
}

/// The state of one token, without its ancestors.
#[derive(Debug, Default)]
struct Switch {
    is_cancelled: AtomicBool,
    waiters: Mutex<Waiters>,
}

/// The tasks that wait for a switch. A task registers and leaves each time that its run waits for something else, so
/// both take constant time.
#[derive(Debug, Default)]
struct Waiters {
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Switch {
    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        // Only the methods below hold this lock, and a panic of a foreign waker leaves the lists intact.
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self, waker: Waker) -> usize {
        let Waiters { wakers, free } = &mut *self.waiters();
        let place = free.pop().unwrap_or_else(|| {
            wakers.push(None);
            wakers.len() - 1
        });
        wakers[place] = Some(waker);
        place
    }

    fn renew(&self, place: usize, waker: &Waker) {
        let known = &mut self.waiters().wakers[place];
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    fn leave(&self, place: usize) {
        let Waiters { wakers, free } = &mut *self.waiters();
        wakers[place] = None;
        free.push(place);
    }

    fn cancel(&self) {
        // Set the flag first, so that tasks which this wakes see it.
        self.is_cancelled.store(true, Ordering::Release);
        let wakers: Vec<Waker> = self.waiters().wakers.iter_mut().filter_map(Option::take).collect();
        // Without the lock, because a waker may run a task at once.
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self { switches: [Arc::default()].into() }
    }

    /// Cancels this token, its clones and its children. You cannot undo this.
    pub fn cancel(&self) {
        self.switches[0].cancel();
    }

    /// Returns whether this token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.switches.iter().any(|switch| switch.is_cancelled.load(Ordering::Acquire))
    }

    /// Resolves when this token is cancelled, or at once if it already was.
    ///
    /// # Cancel safety
    /// Cancel safe: dropping the future changes nothing.
    pub async fn cancelled(&self) {
        Cancelled::new(self).await;
    }

    /// Creates a token that is cancelled together with this one. You can also cancel it alone.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self { switches: [Arc::default()].into_iter().chain(self.switches.iter().cloned()).collect() }
    }

    /// Creates a token that is cancelled together with each of the two. You can also cancel it alone.
    #[must_use]
    pub fn child_of_both(&self, other: &Self) -> Self {
        let both = self.switches.iter().chain(&*other.switches).cloned();
        Self { switches: [Arc::default()].into_iter().chain(both).collect() }
    }

    /// Returns a guard that cancels this token when dropped.
    pub const fn drop_guard(self) -> CancelOnDrop {
        CancelOnDrop { token: self, is_armed: true }
    }
}

/// Waits for any switch of a token.
pub(crate) struct Cancelled<T: Borrow<CancellationToken>> {
    token: T,
    /// The place of its waker in each switch, once it waits.
    places: Vec<usize>,
}

impl<T: Borrow<CancellationToken>> Cancelled<T> {
    pub(crate) const fn new(token: T) -> Self {
        Self { token, places: Vec::new() }
    }

    pub(crate) fn poll_cancelled(&mut self, cx: &Context<'_>) -> Poll<()> {
        let Self { token, places } = self;
        let token = (*token).borrow();
        if token.is_cancelled() {
            return Poll::Ready(());
        }
        if places.is_empty() {
            *places = token.switches.iter().map(|switch| switch.join(cx.waker().clone())).collect();
        } else {
            let places = token.switches.iter().zip(&*places);
            places.for_each(|(switch, place)| switch.renew(*place, cx.waker()));
        }
        // A cancellation between the first look and the registration woke nobody.
        if token.is_cancelled() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<T: Borrow<CancellationToken> + Unpin> Future for Cancelled<T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_cancelled(cx)
    }
}

impl<T: Borrow<CancellationToken>> Drop for Cancelled<T> {
    fn drop(&mut self) {
        let places = self.token.borrow().switches.iter().zip(&self.places);
        places.for_each(|(switch, place)| switch.leave(*place));
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

    #[tokio::test]
    async fn each_waiting_task_is_woken_once_its_token_is_cancelled() {
        let (first, second) = (CancellationToken::new(), CancellationToken::new());
        let both = first.child_of_both(&second);
        let wait = |token: CancellationToken| tokio::spawn(async move { token.cancelled().await });
        let (of_first, of_both) = (wait(first.clone()), wait(both.child_token()));
        tokio::task::yield_now().await;
        second.cancel();
        of_both.await.unwrap();
        assert!(both.is_cancelled() && !first.is_cancelled() && !of_first.is_finished());
        first.cancel();
        of_first.await.unwrap();
    }

    /// A future may move to another task, whose waker is another one.
    #[tokio::test]
    async fn the_last_waker_is_woken() {
        let token = CancellationToken::new();
        let part = token.child_token();
        let mut wait = Box::pin(async move { part.cancelled().await });
        assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let wait = tokio::spawn(wait);
        tokio::task::yield_now().await;
        token.cancel();
        wait.await.unwrap();
    }

    #[test]
    fn who_stops_waiting_leaves_room_for_others() {
        let token = CancellationToken::new().child_token();
        for _ in 0..3 {
            let mut waits: Vec<_> = (0..5).map(|_| Box::pin(token.cancelled())).collect();
            let mut cx = Context::from_waker(Waker::noop());
            for wait in &mut waits {
                assert!(wait.as_mut().poll(&mut cx).is_pending());
                assert!(wait.as_mut().poll(&mut cx).is_pending());
            }
        }
        for switch in &*token.switches {
            let waiters = switch.waiters();
            assert_eq!((waiters.wakers.len(), waiters.free.len()), (5, 5));
        }
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
