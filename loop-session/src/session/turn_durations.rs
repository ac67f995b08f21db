//! The duration of turns.

use std::{collections::VecDeque, time::Duration};

/// The number of recent turns in the mean. Older turns may belong to another model or task.
const TURNS: usize = 5;

/// The durations of the last completed turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct TurnDurations(VecDeque<Duration>);

impl TurnDurations {
    /// Adds the duration of a turn.
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.truncate(TURNS - 1);
        self.0.push_front(time);
    }

    /// Returns the mean duration, once there is any.
    pub(crate) fn mean(&self) -> Option<Duration> {
        let turns = u32::try_from(self.0.len()).ok().filter(|turns| *turns > 0)?;
        Some(self.0.iter().sum::<Duration>() / turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_five_turns_count() {
        let mut turn_durations = TurnDurations::default();
        assert_eq!(turn_durations.mean(), None);
        for seconds in [1000, 2, 4, 6, 8, 10] {
            turn_durations.add(Duration::from_secs(seconds));
        }
        assert_eq!(turn_durations.mean(), Some(Duration::from_secs(6)));
    }
}
