//! What a guarded process tells its guardian: the one message between them.
//!
//! The process sends all of it whenever something changes, and to every new guardian first.

use std::time::Duration;

/// What the guardian has to know of the process that it guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Standing {
    pub(super) stops: Stops,
    /// The time from now after which nothing of the run may be at work any more, in whole milliseconds.
    pub(super) left: Option<Duration>,
}

/// What it means if the process is found stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stops {
    /// Nothing that concerns the guardian.
    #[default]
    Unwatched,
    /// Somebody wants it out of the way. It is continued.
    Refused,
    /// It stops on purpose, and everything of the run has to stand still until it goes on.
    Announced,
}

/// One byte for the stops, eight for the time that is left.
pub(super) const FRAME: usize = 9;

/// The time that stands for no limit.
const UNLIMITED: u64 = u64::MAX;

impl Standing {
    pub(super) fn to_frame(self) -> [u8; FRAME] {
        let whole = |left: Duration| u64::try_from(left.as_millis()).unwrap_or(UNLIMITED);
        let mut frame = [0; FRAME];
        frame[0] = self.stops as u8;
        frame[1..].copy_from_slice(&self.left.map_or(UNLIMITED, whole).to_le_bytes());
        frame
    }

    /// None if it is no frame of ours.
    pub(super) fn of_frame(frame: [u8; FRAME]) -> Option<Self> {
        let [stops, left @ ..] = frame;
        let all = [Stops::Unwatched, Stops::Refused, Stops::Announced];
        let stops = all.into_iter().find(|known| *known as u8 == stops)?;
        let left = Some(u64::from_le_bytes(left)).filter(|left| *left != UNLIMITED);
        Some(Self { stops, left: left.map(Duration::from_millis) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_sent_is_what_arrives(stops in 0..3_u8, millis in proptest::option::of(0..u64::MAX)) {
            let mut frame = [0; FRAME];
            frame[0] = stops;
            frame[1..].copy_from_slice(&millis.unwrap_or(u64::MAX).to_le_bytes());
            let standing = Standing::of_frame(frame).unwrap();
            prop_assert_eq!(standing.left, millis.map(Duration::from_millis));
            prop_assert_eq!(standing.to_frame(), frame);
        }

        #[test]
        fn nothing_else_is_understood(stops in 3..=u8::MAX, rest: [u8; FRAME - 1]) {
            let mut frame = [stops; FRAME];
            frame[1..].copy_from_slice(&rest);
            prop_assert_eq!(Standing::of_frame(frame), None);
        }
    }
}
