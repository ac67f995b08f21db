//! The only message from a watched process to its watchdog.
//!
//! The process sends the complete message whenever something changes, and first of all to every new watchdog.

use std::time::Duration;

/// The watched process's state, as far as the watchdog needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StateMessage {
    pub(super) stops: StopPolicy,
    /// Whether every child of the watched process in another session belongs to the run.
    pub(super) owns_children: bool,
    /// The time from now after which no process of the run may be running any more, in whole milliseconds.
    pub(super) left: Option<Duration>,
}

/// How the watchdog reacts if the process is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum StopPolicy {
    /// Somebody else has stopped the process, so the watchdog continues it.
    #[default]
    Continue,
    /// The process stops on purpose, and all processes of the run have to stand still until it continues.
    Freeze,
}

/// The message's length in bytes: one each for the stops and the children, eight for the time that is left.
pub(super) const FRAME: usize = 10;

/// The number of milliseconds that means no limit.
const UNLIMITED: u64 = u64::MAX;

impl StateMessage {
    pub(super) fn to_frame(self) -> [u8; FRAME] {
        let whole = |left: Duration| u64::try_from(left.as_millis()).unwrap_or(UNLIMITED);
        let mut frame = [0; FRAME];
        frame[0] = self.stops as u8;
        frame[1] = self.owns_children.into();
        frame[2..].copy_from_slice(&self.left.map_or(UNLIMITED, whole).to_le_bytes());
        frame
    }

    /// Returns `None` if the frame is invalid.
    pub(super) fn of_frame(frame: [u8; FRAME]) -> Option<Self> {
        let [stops, owns_children @ 0..=1, left @ ..] = frame else { return None };
        let all = [StopPolicy::Continue, StopPolicy::Freeze];
        let stops = all.into_iter().find(|known| *known as u8 == stops)?;
        let left = Some(u64::from_le_bytes(left)).filter(|left| *left != UNLIMITED);
        Some(Self { stops, owns_children: owns_children == 1, left: left.map(Duration::from_millis) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_sent_is_what_arrives(stops in 0..2_u8, owns: bool, millis in proptest::option::of(0..u64::MAX)) {
            let mut frame = [0; FRAME];
            frame[0] = stops;
            frame[1] = owns.into();
            frame[2..].copy_from_slice(&millis.unwrap_or(u64::MAX).to_le_bytes());
            let message = StateMessage::of_frame(frame).unwrap();
            prop_assert_eq!(message.owns_children, owns);
            prop_assert_eq!(message.left, millis.map(Duration::from_millis));
            prop_assert_eq!(message.to_frame(), frame);
        }

        #[test]
        fn nothing_else_is_understood(stops in 2..=u8::MAX, rest: [u8; FRAME - 1]) {
            let mut frame = [stops; FRAME];
            frame[1..].copy_from_slice(&rest);
            prop_assert_eq!(StateMessage::of_frame(frame), None);
            frame[..2].copy_from_slice(&[0, stops]);
            prop_assert_eq!(StateMessage::of_frame(frame), None);
        }
    }
}
