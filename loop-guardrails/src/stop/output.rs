//! A passing verdict whose text matches a pattern.
//!
//! An exit code of 0 is easy to get: a test command that found no tests exits 0, and so does one whose tests an agent
//! deleted. If you trust the code alone, you ship untested work. The output of the check tells more. It is no proof on
//! its own either, since the command may print `0 failed` before it crashes. So this condition needs both.

use std::borrow::Cow;

use loop_core::{Condition, JudgedStep, Progress, SnapshotError, StopCondition};
use regex::Regex;

/// Is met when the verdict is a pass **and** `pattern` matches anywhere in its text.
///
/// It needs an evaluator, and works with every output type of the loop. The pattern is a regular expression in the
/// syntax of the [`regex`] crate: `^` and `$` are the ends of the whole text, and of its lines after `(?m)`.
///
/// # Errors
/// [`PatternError`] if the pattern is not a regular expression, or is too large.
///
/// ```
/// use loop_core::{EvaluationContext, IterationContext, Loop, Verdict, evaluator_fn, iteration_fn};
/// use loop_guardrails::output_matches;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The first run of the tests finds none of them, and passes.
/// let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration() - 1));
/// let tests = evaluator_fn(async |cx: EvaluationContext<u64>| {
///     Ok(Verdict::pass().with_text(format!("{} passed", cx.output())))
/// });
/// let report =
///     Loop::new(agent).evaluate(tests).until(output_matches("[1-9][0-9]* passed")?).at_most(5).run().await?;
/// assert_eq!(report.iterations(), 2);
/// assert_eq!(report.ending().to_string(), "goal_met: output_matches /[1-9][0-9]* passed/");
/// # Ok(())
/// # }
/// ```
pub fn output_matches(pattern: &str) -> Result<Condition<OutputMatches>, PatternError> {
    match Regex::new(pattern) {
        Ok(pattern) => Ok(Condition::new(OutputMatches { pattern })),
        Err(reason) => Err(PatternError { pattern: pattern.to_owned(), reason }),
    }
}

/// See [`output_matches`].
#[derive(Debug, Clone)]
pub struct OutputMatches {
    pattern: Regex,
}

impl<O> StopCondition<JudgedStep<O>> for OutputMatches {
    fn is_met(&self, step: &JudgedStep<O>, _progress: &Progress) -> bool {
        step.verdict().is_some_and(|verdict| verdict.passed() && self.pattern.is_match(verdict.text()))
    }
    fn name(&self) -> Cow<'_, str> {
        format!("output_matches /{}/", self.pattern).into()
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(String::new())
    }
}

/// An invalid pattern. Its message contains the parser's, with the position of the mistake.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "`{pattern}` cannot be used as a pattern: {reason}\n(a backslash before a character makes it literal)"
)]
pub struct PatternError {
    pattern: String,
    reason: regex::Error,
}

#[cfg(test)]
mod tests {
    use loop_core::{Outcome, Verdict};
    use proptest::prelude::*;

    use super::*;
    use crate::testing::is_goal;

    #[test]
    fn a_bad_pattern_is_refused_with_the_place_of_the_mistake() {
        let error = output_matches("0 failed (").unwrap_err().to_string();
        assert!(error.contains("0 failed (") && error.contains("unclosed group"), "{error}");
        assert!(output_matches("(a{1000}){1000}{1000}").is_err(), "too large is an error, not a panic");
    }

    proptest! {
        /// The condition is the conjunction of a pass and a match of `regex`.
        #[test]
        fn agrees_with_regex_and_needs_a_pass(
            pattern in prop_oneof!["[a-c]{1,3}", "\\^[a-c]", "[a-c]\\$", "\\(\\?m\\)\\^b", "a\\|b", "[a-c]\\*"],
            text in "[a-d\n]{0,12}",
            outcome in prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail), Just(Outcome::Inconclusive)],
        ) {
            let expected = outcome == Outcome::Pass && Regex::new(&pattern).unwrap().is_match(&text);
            let verdict = Verdict::new(outcome).with_text(text);
            prop_assert_eq!(is_goal(&output_matches(&pattern).unwrap(), Some(verdict)), expected);
        }
    }

    #[test]
    fn without_a_verdict_it_is_not_met() {
        assert!(!is_goal(&output_matches("").unwrap(), None));
        assert!(
            is_goal(&output_matches("").unwrap(), Some(Verdict::pass())),
            "an empty text has an empty match"
        );
    }
}
