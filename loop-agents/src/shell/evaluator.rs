//! An evaluator that is a command.

use std::{fmt, future::pending};

use async_trait::async_trait;
use loop_core::{
    Ceiling, EvaluationContext, Evaluator, Halt, Meter, StepRecord, StopReason, Verdict, WorkError,
    with_causes,
};

use super::{
    CommandError,
    command::check_line,
    output_listener::OutputListener,
    shell_settings::{Shell, variables},
    unreported_cost::UnreportedCostGuard,
};
use crate::{
    output::{Capture, DEFAULT_EXCERPT_BYTES, Pattern, PatternMatcher},
    process::{CutReason, Exit, OutputStream, ProcessError, ProcessOutput},
};

/// The name of the [mark](loop_core::Mark) with a [`CommandEvaluator`]'s exit code, as a shell would show it.
///
/// A mark is part of the step and of the run's events. So the next prompt of a resumed run also has the code, and a
/// view can show it without asking the evaluator. A command that we made to end before its verdict leaves no mark.
pub const EVALUATOR_EXIT_MARK: &str = "evaluator_exit_code";

/// The name of the [mark](loop_core::Mark) that records which of its [patterns](CommandEvaluator::looking_for) a
/// [`CommandEvaluator`] found. [`has_match`] reads it.
pub const EVALUATOR_MATCHES_MARK: &str = "evaluator_matches";

/// The maximum number of patterns that a [`CommandEvaluator`] can [look for](CommandEvaluator::looking_for): one for
/// each bit of its mark.
pub const MAX_PATTERNS: usize = 64;

/// Returns true if the evaluator of this step found the pattern at `index`, from 0, among the patterns that it [looked
/// for](CommandEvaluator::looking_for). A step without a verdict has no match.
pub fn has_match(step: &StepRecord, index: usize) -> bool {
    let mark = step.marks().iter().rev().find(|mark| &*mark.name == EVALUATOR_MATCHES_MARK);
    mark.is_some_and(|mark| index < MAX_PATTERNS && mark.hash >> index & 1 == 1)
}

/// An evaluator that is a command: exit code 0 is a pass, any other code is a fail.
///
/// The verdict's text is the command's output, with both streams in their order. Its feedback says what was missing.
/// This evaluator ignores the agent's output, and checks only the results of its work.
///
/// Exit codes 126 and 127, with which a shell reports that it cannot run the program, end the run in the first
/// iteration. Later they are a failing verdict like others: the agent may have broken the check, and may repair it.
///
/// # Default
/// The default [`Shell`], no pattern, no [cost](Self::costs) of its own, and at most 32 KiB of text
/// ([`DEFAULT_EXCERPT_BYTES`]).
///
/// ```
/// use loop_agents::output::Pattern;
/// use loop_agents::shell::CommandEvaluator;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tests = CommandEvaluator::new("echo '3 passed, 0 failed'")?.matching(Pattern::new("0 failed$")?);
/// let checked = tests.check().await?;
/// assert!(!checked.verdict.passed()); // a line's end is not the text's end: `(?m)` would make it so
/// assert_eq!(checked.verdict.text(), "3 passed, 0 failed\n");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CommandEvaluator {
    line: String,
    shell: Shell,
    pattern: Option<Pattern>,
    patterns: Vec<Pattern>,
    advice: Option<Advice>,
    text_bytes: usize,
    listener: OutputListener,
    costs: bool,
}

/// Returns what is missing although the command exited with 0.
struct Advice(Box<AdviceFn>);

type AdviceFn = dyn Fn(&StepRecord) -> Option<String> + Send;

impl fmt::Debug for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Advice")
    }
}

/// One run of an evaluator's command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckOutput {
    /// The verdict on the work.
    pub verdict: Verdict,
    /// How the command ended.
    pub exit: Exit,
    /// Why we made it end, if we did: a limit of its [`Shell`].
    pub cut: Option<CutReason>,
    /// The captured output, from both streams.
    pub output: Capture,
    matches: u64,
}

impl CheckOutput {
    /// Returns the record of a first step with this verdict and these matches. You can use it to test a stop condition
    /// before a loop has run.
    pub fn record(&self) -> StepRecord {
        let exit = u64::try_from(self.exit.shell_code()).unwrap_or_default();
        record(&self.verdict, self.matches).with_mark(EVALUATOR_EXIT_MARK, exit)
    }
}

fn record(verdict: &Verdict, matches: u64) -> StepRecord {
    StepRecord::new(1).with_verdict(verdict.clone()).with_mark(EVALUATOR_MATCHES_MARK, matches)
}

impl CommandEvaluator {
    /// Creates an evaluator from a command line.
    ///
    /// # Errors
    /// Fails if the line is empty, too long, or has a NUL byte in it. An empty line would always pass.
    pub fn new(command: &str) -> Result<Self, CommandError> {
        check_line(command)?;
        Ok(Self {
            line: command.to_owned(),
            shell: Shell::new(),
            pattern: None,
            patterns: Vec::new(),
            advice: None,
            text_bytes: DEFAULT_EXCERPT_BYTES,
            listener: OutputListener::default(),
            costs: false,
        })
    }

    /// Sets where and how the command runs.
    #[must_use]
    pub fn shell(mut self, shell: Shell) -> Self {
        self.shell = shell;
        self
    }

    /// Requires a match for a pass. The pattern may match anywhere in the command's output, however long that is.
    #[must_use]
    pub fn matching(mut self, pattern: Pattern) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// Looks for each of these patterns in the command's output, however long that is. The verdict does not depend on
    /// them. A [mark](EVALUATOR_MATCHES_MARK) of the step records the matches, so a stop condition can call
    /// [`has_match`].
    ///
    /// ```
    /// use loop_agents::output::Pattern;
    /// use loop_agents::shell::{CommandEvaluator, ShellAgent, has_match};
    /// use loop_core::{JudgedStep, Loop, condition_fn, evaluator_passed};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = ShellAgent::new("true")?;
    /// // The first run of the tests finds none of them, and passes.
    /// let tests = CommandEvaluator::new("echo $((LOOP_ITERATION - 1)) passed")?;
    /// let tests = tests.looking_for([Pattern::new(r"\b0 passed")?])?;
    /// let no_tests = condition_fn(|step: &JudgedStep<_>, _| has_match(step, 0)).named("no tests");
    /// let goal = evaluator_passed().and(no_tests.not());
    /// let report = Loop::new(agent).evaluate(tests).until(goal).at_most(5).run().await?;
    /// assert_eq!(report.iterations(), 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Fails for more than [`MAX_PATTERNS`] patterns.
    pub fn looking_for(
        mut self,
        patterns: impl IntoIterator<Item = Pattern>,
    ) -> Result<Self, TooManyPatterns> {
        self.patterns = patterns.into_iter().collect();
        if self.patterns.len() > MAX_PATTERNS { Err(TooManyPatterns(())) } else { Ok(self) }
    }

    /// Sets the feedback of a passing verdict, for a loop whose goal needs more than a pass. `missing` gets a step with
    /// the verdict and the [matches](Self::looking_for), and returns what is missing, as the rest of the sentence "the
    /// check exited with 0, but ...". A [`ShellAgent`](super::ShellAgent) tells it to the agent behind the output
    /// of the evaluator.
    #[must_use]
    pub fn advising(mut self, missing: impl Fn(&StepRecord) -> Option<String> + Send + 'static) -> Self {
        self.advice = Some(Advice(Box::new(missing)));
        self
    }

    /// Sets how many bytes of the command's output become the verdict's text.
    #[must_use]
    pub fn text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// Calls `listener` with every piece of output as it comes, for a live view. The command
    /// waits while the listener runs.
    #[must_use]
    pub fn on_output(mut self, listener: impl FnMut(OutputStream, &[u8]) + Send + 'static) -> Self {
        self.listener = OutputListener::new(listener);
        self
    }

    /// Declares that the command costs money, for example an agent that judges. Its output is for people, and we do not
    /// read usage from it. If a run of it adds nothing to the [`UsageFile`](crate::usage::UsageFile), the cost and the
    /// tokens of the whole run become lower bounds.
    #[must_use]
    pub fn costs(mut self, costs: bool) -> Self {
        self.costs = costs;
        self
    }

    /// Runs the command once, outside of a loop, as iteration 1.
    ///
    /// # Errors
    /// Fails if the command could not be run at all.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and its group at once.
    pub async fn check(&mut self) -> Result<CheckOutput, ProcessError> {
        let (verdict, matches, finished) = self.run(1, None, Ceiling::NONE, pending()).await?;
        Ok(CheckOutput { verdict, exit: finished.exit, cut: finished.cut, output: finished.stdout, matches })
    }

    /// Returns the verdict, the bits of the matches, and how the command ended.
    async fn run<S>(
        &mut self,
        iteration: u64,
        meter: Option<&Meter>,
        left: Ceiling,
        stop: S,
    ) -> Result<(Verdict, u64, ProcessOutput), ProcessError>
    where
        S: Future<Output = ()> + Send,
    {
        let mut matcher = self.pattern.as_ref().map(Pattern::matcher);
        let mut matchers: Vec<_> = self.patterns.iter().map(Pattern::matcher).collect();
        let listener = &mut self.listener;
        let process = self.shell.command(&self.line).merged().also_env(variables(left));
        let finished = self
            .shell
            .run(process, iteration, meter, stop, |stream, bytes| {
                matcher.iter_mut().chain(&mut matchers).for_each(|matcher| matcher.feed(bytes));
                listener.notify(stream, bytes);
            })
            .await?;
        let matched = matcher.is_none_or(PatternMatcher::finish);
        let bits = matchers.into_iter().enumerate().map(|(bit, matcher)| u64::from(matcher.finish()) << bit);
        let matches = bits.fold(0, |matches, bit| matches | bit);
        let text = finished.stdout.excerpt(self.text_bytes);
        let verdict = self.verdict(finished.exit, matched).with_text(text);
        Ok((self.advised(verdict, matches), matches, finished))
    }

    /// Adds what is missing to a passing verdict.
    fn advised(&self, verdict: Verdict, matches: u64) -> Verdict {
        let advice = self.advice.as_ref().filter(|_| verdict.passed());
        match advice.and_then(|Advice(missing)| missing(&record(&verdict, matches))) {
            Some(missing) => verdict.with_feedback(format!("the check exited with 0, but {missing}")),
            None => verdict,
        }
    }

    fn verdict(&self, exit: Exit, matched: bool) -> Verdict {
        let pattern = self.pattern.as_ref().map_or("", Pattern::as_str);
        match (exit.success(), matched) {
            (true, true) => Verdict::pass(),
            (true, false) => Verdict::fail()
                .with_feedback(format!("the check {exit}, but nothing in its output matches `{pattern}`")),
            (false, true) => Verdict::fail().with_feedback(format!("the check {exit}")),
            (false, false) => Verdict::fail()
                .with_feedback(format!("the check {exit}, and nothing in its output matches `{pattern}`")),
        }
    }
}

#[async_trait]
impl<O: Send + Sync + 'static> Evaluator<O> for CommandEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, WorkError> {
        Ok(self.judge(cx).await?.0)
    }
}

impl CommandEvaluator {
    /// Evaluates, and also returns how the command ended, unless we made it end.
    pub(crate) async fn judge<O: Send + Sync + 'static>(
        &mut self,
        cx: EvaluationContext<O>,
    ) -> Result<(Verdict, Option<Exit>), WorkError> {
        let first = cx.iteration() == 1;
        let meter = cx.meter();
        let _cost_guard = self.costs.then(|| UnreportedCostGuard::new(&self.shell, &meter));
        let ran = self.run(cx.iteration(), Some(&meter), cx.left(), cx.cancelled()).await;
        let (verdict, matches, ProcessOutput { exit, cut, stdout, .. }) = ran.map_err(|error| {
            if matches!(error, ProcessError::Undying { .. }) {
                Halt::new(StopReason::Failed, error.to_string()).into()
            } else if first && error.is_lasting() {
                unavailable(&with_causes(&error)).into()
            } else {
                WorkError::failed(error)
            }
        })?;
        match cut {
            None => {}
            // The exit code is the result of our TERM, and does not describe the work.
            Some(CutReason::Requested) => return Ok((verdict, None)),
            Some(cut) => return Err(WorkError::failed(EvaluatorTimeout(cut))),
        }
        if first && exit.is_unavailable() {
            return Err(unavailable(&format!("it {}", exit.with_reason(&stdout))).into());
        }
        cx.mark(EVALUATOR_EXIT_MARK, u64::try_from(exit.shell_code()).unwrap_or_default());
        if !self.patterns.is_empty() {
            cx.mark(EVALUATOR_MATCHES_MARK, matches);
        }
        Ok((verdict, Some(exit)))
    }
}

/// The error for more than [`MAX_PATTERNS`] patterns.
#[derive(Debug, thiserror::Error)]
#[error("an evaluator can look for at most {MAX_PATTERNS} patterns: join some of them with `|`")]
pub struct TooManyPatterns(());

/// The command exceeded a limit.
#[derive(Debug, thiserror::Error)]
#[error("the check was ended {0}")]
struct EvaluatorTimeout(CutReason);

fn unavailable(why: &str) -> Halt {
    Halt::new(StopReason::EvaluatorUnavailable, format!("the check could not be run: {why}"))
}
