//! The only message from a guarded process to its guardian.
//!
//! The process sends the complete message whenever something changes, and first of all to every new guardian.

use std::time::Duration;

/// The guarded process's state, as far as the guardian needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Standing {
    pub(super) stops: Stops,
    /// The time from now after which no process of the run may be running any more, in whole milliseconds.
    pub(super) left: Option<Duration>,
}

/// How the guardian reacts if the process is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stops {
    /// The guardian ignores it.
    #[default]
    Unwatched,
    /// Somebody else has stopped the process, so the guardian continues it.
    Refused,
    /// The process stops on purpose, and all processes of the run have to stand still until it continues.
    Announced,
}

/// The message's length in bytes: one for the stops, eight for the time that is left.
pub(super) const FRAME: usize = 9;

/// The number of milliseconds that means no limit.
const UNLIMITED: u64 = u64::MAX;

impl Standing {
    pub(super) fn to_frame(self) -> [u8; FRAME] {
        let whole = |left: Duration| u64::try_from(left.as_millis()).unwrap_or(UNLIMITED);
        let mut frame = [0; FRAME];
        frame[0] = self.stops as u8;
        frame[1..].copy_from_slice(&self.left.map_or(UNLIMITED, whole).to_le_bytes());
        frame
    }

    /// Returns `None` if the frame is invalid.
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
