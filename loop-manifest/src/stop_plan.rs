//! The stop condition of a plan.

use loop_agents::output::Pattern;

/// The condition under which the goal is met.
#[derive(Debug, Clone)]
pub enum StopPlan {
    /// The check passes.
    EvaluatorPass,
    /// The check passes, and this matches somewhere in the output of its command.
    OutputMatches(Pattern),
    /// All conditions hold.
    All(Vec<StopPlan>),
    /// At least one of these conditions holds.
    Any(Vec<StopPlan>),
    /// At least this number of these conditions hold.
    AtLeast(usize, Vec<StopPlan>),
    /// This condition does not hold.
    Not(Box<StopPlan>),
}

impl StopPlan {
    /// Returns whether it is a single condition.
    pub const fn is_plain(&self) -> bool {
        matches!(self, Self::EvaluatorPass | Self::OutputMatches(_))
    }

    /// The patterns that it looks for, each once.
    pub fn patterns(&self) -> Vec<&Pattern> {
        let mut patterns = Vec::new();
        self.collect_patterns(&mut patterns);
        patterns
    }

    fn collect_patterns<'a>(&'a self, patterns: &mut Vec<&'a Pattern>) {
        match self {
            Self::EvaluatorPass => {}
            Self::OutputMatches(pattern) => {
                if patterns.iter().all(|known| known.as_str() != pattern.as_str()) {
                    patterns.push(pattern);
                }
            }
            Self::All(parts) | Self::Any(parts) | Self::AtLeast(_, parts) => {
                parts.iter().for_each(|part| part.collect_patterns(patterns));
            }
            Self::Not(part) => part.collect_patterns(patterns),
        }
    }

    /// Describes the condition in words, as a list indented by depth. `passes` describes a passing check, as in "the
    /// check exits 0".
    pub fn describe(&self, passes: &str) -> String {
        let list = |heading: String, parts: &[Self]| {
            let parts = parts.iter().map(|part| part.describe(passes).replace('\n', "\n  "));
            let parts: String = parts.map(|part| format!("\n- {part}")).collect();
            format!("{heading}{parts}")
        };
        match self {
            Self::EvaluatorPass => passes.to_owned(),
            Self::OutputMatches(pattern) => format!("{passes} and its output matches /{}/", pattern.as_str()),
            Self::All(parts) => list("all of these hold:".to_owned(), parts),
            Self::Any(parts) => list("one of these holds:".to_owned(), parts),
            Self::AtLeast(needed, parts) => list(format!("at least {needed} of these hold:"), parts),
            Self::Not(part) => format!("not: {}", part.describe(passes)),
        }
    }
}
