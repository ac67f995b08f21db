//! What a turn is at, in one line, while somebody waits for it.

use std::time::{Duration, Instant};

use crate::view::{DIM, paint, text};

/// What the line says.
#[derive(Debug)]
pub(crate) struct Status {
    began: Instant,
    /// How long turns have taken of late.
    usual: Option<Duration>,
    /// Who works, or what: the model, a tool.
    doing: String,
    /// How full the context was before the turn, if that is known.
    context: Option<String>,
}

impl Status {
    /// Of a turn that begins now.
    pub(crate) fn new(doing: impl Into<String>, usual: Option<Duration>, context: Option<String>) -> Self {
        Self { began: Instant::now(), usual, doing: doing.into(), context }
    }

    /// Something else is done now.
    pub(super) fn turn_to(&mut self, doing: &str) {
        self.doing = text::one_line(doing);
    }

    pub(super) fn line(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.began);
        let parts = [Some(self.doing.clone()), Some(timer(elapsed, self.usual)), self.context.clone()];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        paint(DIM, parts.join(" · "))
    }
}

/// How long it has taken, and how long it should take, as long as that can still be true. In whole seconds: the line
/// is not drawn more often.
fn timer(elapsed: Duration, usual: Option<Duration>) -> String {
    match usual.filter(|usual| elapsed < *usual) {
        Some(usual) => format!("{}s of about {}s", elapsed.as_secs(), usual.as_secs_f64().round()),
        None => format!("{}s", elapsed.as_secs()),
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
    }
}
