//! The delay between iterations.

use std::time::Duration;

use crate::Progress;

/// The delay before the next iteration. There is no delay before the first one.
///
/// Pure: the answer depends on the progress alone.
///
/// ```
/// use std::time::Duration;
/// use loop_core::{Pace, Progress};
///
/// /// Waits a second longer after each failure in a row.
/// struct BackOff;
///
/// impl Pace for BackOff {
///     fn delay(&self, progress: &Progress) -> Duration {
///         Duration::from_secs(progress.consecutive_failures())
///     }
/// }
/// ```
pub trait Pace: Send {
    /// Returns the delay before the next iteration. Zero means no wait.
    fn delay(&self, progress: &Progress) -> Duration;
}

impl<P: Pace + ?Sized> Pace for Box<P> {
    fn delay(&self, progress: &Progress) -> Duration {
        (**self).delay(progress)
    }
}

/// The same delay between any two iterations.
impl Pace for Duration {
    fn delay(&self, _progress: &Progress) -> Duration {
        *self
    }
}

/// Creates a pace from a function.
///
/// ```
/// use std::time::Duration;
/// let pace = loop_core::pace_fn(|progress| Duration::from_secs(progress.iterations().min(60)));
/// ```
pub fn pace_fn<F>(delay: F) -> PaceFn<F>
where
    F: Fn(&Progress) -> Duration + Send,
{
    PaceFn(delay)
}

/// The pace that [`pace_fn`] returns.
#[derive(Debug, Clone)]
pub struct PaceFn<F>(F);

impl<F: Fn(&Progress) -> Duration + Send> Pace for PaceFn<F> {
    fn delay(&self, progress: &Progress) -> Duration {
        (self.0)(progress)
    }
}

const _: fn(&dyn Pace) = |_| {};
