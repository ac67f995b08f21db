//! How long turns take.

use std::{collections::VecDeque, time::Duration};

/// How many turns are looked at: the model, or the task, may be another one since the others.
const TURNS: usize = 5;

/// The time of the last turns that came to their end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pace(VecDeque<Duration>);

impl Pace {
    /// One more turn took this long.
    pub(crate) fn took(&mut self, time: Duration) {
        self.0.truncate(TURNS - 1);
        self.0.push_front(time);
    }

    /// What to expect of the next one: the mean, once there is any.
    pub(crate) fn usual(&self) -> Option<Duration> {
        let turns = u32::try_from(self.0.len()).ok().filter(|turns| *turns > 0)?;
        Some(self.0.iter().sum::<Duration>() / turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_five_turns_count() {
        let mut pace = Pace::default();
        assert_eq!(pace.usual(), None);
        for seconds in [1000, 2, 4, 6, 8, 10] {
            pace.took(Duration::from_secs(seconds));
        }
        assert_eq!(pace.usual(), Some(Duration::from_secs(6)));
    }
}
