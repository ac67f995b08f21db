//! The status line of a turn, while somebody waits for it.

use std::time::{Duration, Instant};

use crate::view::{DIM, paint, text};

/// The content of the status line.
#[derive(Debug)]
pub(crate) struct TurnStatus {
    began: Instant,
    /// The mean duration of recent turns.
    mean_duration: Option<Duration>,
    /// The current worker: the model, or a tool.
    doing: String,
    /// The fill level of the context before the turn, if known.
    context: Option<String>,
}

impl TurnStatus {
    /// Creates the status of a turn that begins now.
    pub(crate) fn new(
        doing: impl Into<String>,
        mean_duration: Option<Duration>,
        context: Option<String>,
    ) -> Self {
        let mut status = Self { began: Instant::now(), mean_duration, doing: String::new(), context };
        status.turn_to(&doing.into());
        status
    }

    /// Changes the current activity.
    pub(super) fn turn_to(&mut self, doing: &str) {
        self.doing = text::one_line(doing);
    }

    pub(super) fn line(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.began);
        let parts =
            [Some(self.doing.clone()), Some(timer(elapsed, self.mean_duration)), self.context.clone()];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        paint(DIM, parts.join(" · "))
    }
}

/// Formats the elapsed time, and the expected time until that has passed. It uses whole seconds, because the line is
/// drawn no more often.
fn timer(elapsed: Duration, mean_duration: Option<Duration>) -> String {
    match mean_duration.filter(|mean_duration| elapsed < *mean_duration) {
        Some(mean_duration) => {
            let mean_seconds = mean_duration.as_secs_f64().round() as u64;
            format!("{} of about {}", in_units(elapsed.as_secs()), in_units(mean_seconds))
        }
        None => in_units(elapsed.as_secs()),
    }
}

fn in_units(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds}s"),
        _ => format!("{}m", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_shown_until_it_is_wrong() {
        let shown = |ms| timer(Duration::from_millis(ms), Some(Duration::from_secs(12)));
        assert_eq!(shown(8_200), "8s of about 12s");
        assert_eq!(shown(13_000), "13s");
        assert_eq!(timer(Duration::from_millis(2900), None), "2s");
        let (minutes, hour) = (Duration::from_secs(200), Duration::from_secs(3600));
        assert_eq!(timer(minutes, Some(hour)), "3m of about 60m");
    }
}
