//! A flag that wakes the driver when work reports something.

use std::{
    future::{Future, poll_fn},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

/// Remembers that something happened until the one task that waits for it sees it.
#[derive(Debug, Default)]
pub(super) struct Notice {
    is_set: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Notice {
    pub(super) fn notify(&self) {
        self.is_set.store(true, Ordering::Release);
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Without the lock, because a waker may run its task at once.
        waker.into_iter().for_each(Waker::wake);
    }

    /// Resolves once for all notifications since the last time that it resolved.
    pub(super) fn noticed(&self) -> impl Future<Output = ()> + Send + '_ {
        poll_fn(|cx| {
            if self.take() {
                return Poll::Ready(());
            }
            let waker = cx.waker().clone();
            *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker);
            // A notification between the first look and the registration woke nobody.
            if self.take() { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    fn take(&self) -> bool {
        self.is_set.swap(false, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, sync::Arc, task::Context, task::Wake};

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn notifications_are_seen_once_and_wake_who_waits() {
        let notice = Notice::default();
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        notice.notify();
        notice.notify();
        let mut noticed = pin!(notice.noticed());
        assert!(noticed.as_mut().poll(&mut cx).is_ready());
        assert!(noticed.as_mut().poll(&mut cx).is_pending());
        assert!(!woken.0.load(Ordering::SeqCst));
        notice.notify();
        assert!(woken.0.load(Ordering::SeqCst));
        assert!(noticed.as_mut().poll(&mut cx).is_ready());
    }
}
