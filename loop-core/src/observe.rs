//! Watching a run.

use crate::{Event, Progress};

/// Sees every event of a run as it happens: for views and records. What has to be there after a
/// power cut goes to a [`Journal`](crate::Journal).
///
/// It is called on the run's own task, so it should be quick. A closure is an observer:
///
/// ```
/// use loop_core::{Event, EventKind, Observer, Progress};
/// let mut settled = 0;
/// let mut count = |event: &Event, _: &Progress| {
///     settled += u32::from(matches!(event.kind, EventKind::StepSettled { .. }));
/// };
/// fn is_observer(_: &mut impl Observer) {}
/// is_observer(&mut count);
/// ```
pub trait Observer: Send {
    /// Something happened. The progress may hold later events already, if several came at once.
    fn on_event(&mut self, event: &Event, progress: &Progress);
}

impl<F: FnMut(&Event, &Progress) + Send> Observer for F {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self(event, progress);
    }
}

const _: fn(&dyn Observer) = |_| {};
