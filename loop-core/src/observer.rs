//! Watching a run.

use crate::{Event, Progress};

/// Sees every event of a run as it happens, for views and records. For data that has to survive a power cut, use a
/// [`Journal`](crate::Journal).
///
/// The run calls it on its own task, so it should be quick. A closure is an observer:
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
    /// Handles an event. If several events came at once, the progress may already include later ones.
    fn on_event(&mut self, event: &Event, progress: &Progress);
}

impl<F: FnMut(&Event, &Progress) + Send> Observer for F {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self(event, progress);
    }
}

const _: fn(&dyn Observer) = |_| {};
