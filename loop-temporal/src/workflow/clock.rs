//! Run time in a workflow.

use std::time::{Duration, SystemTime};

use loop_core::RunTime;

/// A clock that reads the time of the history, and stands still while a person is asked.
#[derive(Debug)]
pub(super) struct Clock {
    started: Option<SystemTime>,
    base: RunTime,
    stood: Duration,
    stands_since: Option<SystemTime>,
}

impl Clock {
    /// Creates a clock that shows `base` at this time.
    pub(super) const fn starting_at(base: RunTime, time: Option<SystemTime>) -> Self {
        Self { started: time, base, stood: Duration::ZERO, stands_since: None }
    }

    /// Returns the run time at this time. A server whose clock goes back does not turn run time back.
    pub(super) fn at(&self, time: Option<SystemTime>) -> RunTime {
        let time = self.stands_since.or(time);
        let passed = between(self.started, time).saturating_sub(self.stood);
        self.base.after(passed)
    }

    /// Stops the clock.
    pub(super) fn stop(&mut self, time: Option<SystemTime>) {
        self.stands_since = self.stands_since.or(time);
    }

    /// Lets a stopped clock go on.
    pub(super) fn go_on(&mut self, time: Option<SystemTime>) {
        self.stood += between(self.stands_since.take(), time);
    }
}

fn between(start: Option<SystemTime>, end: Option<SystemTime>) -> Duration {
    start.zip(end).and_then(|(start, end)| end.duration_since(start).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_still_during_a_question() {
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let shown = |clock: &Clock, seconds| clock.at(at(seconds)).as_micros() / 1_000_000;
        let mut clock = Clock::starting_at(RunTime::from_micros(2_000_000), at(10));
        assert_eq!(shown(&clock, 13), 5);
        clock.stop(at(13));
        assert_eq!(shown(&clock, 90), 5);
        clock.go_on(at(100));
        assert_eq!(shown(&clock, 101), 6);
        assert_eq!(shown(&clock, 1), 2, "the server's clock went back");
    }
}
