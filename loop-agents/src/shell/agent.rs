//! An iteration that is a command.

use async_trait::async_trait;
use loop_core::{Ceiling, Halt, Iteration, IterationContext, Step, WorkError};
use serde::{Deserialize, Serialize};

use super::{
    Briefing, CommandError, CommandLine, Invocation, PromptUndeliverable, Template,
    bill::Bill,
    evaluator::EVALUATOR_EXIT_MARK,
    hearing::{Ears, Heard, OnNote},
    listener::Listener,
    patience::{OutOfPatience, Patience, Wait},
    reason::exit_with_reason,
    surroundings::{Shell, variables},
    trouble,
};
use crate::{
    output::{Capture, OUTPUT_MARK},
    process::{Exit, Finished, Stream},
    usage::{AgentFailure, Format, UsageReader},
};

/// An agent that is a command: each iteration runs it once, with a prompt from a [`Template`].
///
/// The command's exit code does not decide anything: the evaluator does. A code other than 0
/// is noted as a fault of the step, and can be fed forward (`{agent_exit_code}`). Only 126 and 127,
/// with which a shell says that there is no such program, end the run.
///
/// # Default
/// The template `{goal}`, an empty goal, the default [`Shell`] with a
/// [`UsageFile`](crate::usage::UsageFile) of its own made in the first iteration, no [cost](Self::costs) that it does not
/// tell, and at most 32 KiB of text for each placeholder
/// ([`DEFAULT_EXCERPT_BYTES`](crate::output::DEFAULT_EXCERPT_BYTES)).
///
/// ```
/// use loop_agents::shell::{Shell, ShellAgent};
///
/// let agent = ShellAgent::new("claude -p {prompt}")?
///     .goal("make the tests pass")
///     .prompt("Iteration {iteration}: {goal}. The tests say:\n{evaluator_output}")
///     .shell(Shell::new().inherit_env(std::env::vars_os()));
/// assert_eq!(agent.template().unknown(), []);
/// # Ok::<(), loop_agents::shell::CommandError>(())
/// ```
#[derive(Debug)]
pub struct ShellAgent {
    command: CommandLine,
    briefing: Briefing,
    shell: Shell,
    ears: Ears,
    patience: Patience,
    costs: bool,
}

/// What an agent's command left behind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShellOutput {
    /// How it ended.
    pub exit: Exit,
    /// Why it was made to end, if it was: "after 10s, its time limit". It may still have ended by itself in that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// What is kept of its standard output.
    pub stdout: Capture,
    /// What is kept of its standard error.
    pub stderr: Capture,
    /// The agent's last words, where its [`UsageReader`] knows them from the rest of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Capture>,
    /// Why its last words are no end of its work, if its [`UsageReader`] knows that they are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
}

impl ShellOutput {
    /// What a command left that ended by itself, and of whose words no more is known than that it printed them.
    pub fn new(exit: Exit, stdout: Capture, stderr: Capture) -> Self {
        Self { exit, cut: None, stdout, stderr, text: None, unfinished: None }
    }

    /// How it ended, if that was not well. Reads after "it": "exited with 1", "was ended after 10s, its time limit",
    /// "did not say that it came to its end".
    pub fn failure(&self) -> Option<String> {
        let cut = self.cut.as_ref().map(|cut| format!("was ended {cut}"));
        let cut = cut.or_else(|| (!self.exit.success()).then(|| self.exit.to_string()));
        cut.or_else(|| self.unfinished.clone())
    }

    /// What it has to say to the next iteration: its last words, or else all that it printed.
    pub fn said(&self) -> &Capture {
        self.text.as_ref().unwrap_or(&self.stdout)
    }
}

/// The first iteration as it would be; made by [`ShellAgent::preview`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The prompt.
    pub prompt: String,
    /// The command line with the prompt in it, or with the prompt as its input.
    pub invocation: Invocation,
}

impl ShellAgent {
    /// An agent that is this command line.
    ///
    /// # Errors
    /// Those of [`CommandLine::parse`].
    pub fn new(command: &str) -> Result<Self, CommandError> {
        Ok(Self {
            command: CommandLine::parse(command)?,
            briefing: Briefing::default(),
            shell: Shell::new(),
            ears: Ears::default(),
            patience: Patience::default(),
            costs: false,
        })
    }

    /// What is to be achieved: the value of `{goal}`.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.briefing.goal = goal.into();
        self
    }

    /// The prompt's template; see [`Placeholder`](super::Placeholder).
    #[must_use]
    pub fn prompt(mut self, template: &str) -> Self {
        self.briefing.template = Template::new(template);
        self
    }

    /// Where and how the command runs.
    #[must_use]
    pub fn shell(mut self, shell: Shell) -> Self {
        self.shell = shell;
        self
    }

    /// How many bytes of the last output, and of the last verdict, go into a prompt.
    #[must_use]
    pub fn feedback_bytes(mut self, bytes: usize) -> Self {
        self.briefing.feedback_bytes = bytes;
        self
    }

    /// Calls `listener` with every piece of output as it comes, for a live view. The agent
    /// waits while the listener runs.
    #[must_use]
    pub fn on_output(mut self, listener: impl FnMut(Stream, &[u8]) + Send + 'static) -> Self {
        self.ears.listener = Listener::new(listener);
        self
    }

    /// Calls `listener` with every piece of output byte for byte, also where a
    /// [`usage_reader`](Self::usage_reader) makes something else of it for people. The agent waits while the
    /// listener runs.
    #[must_use]
    pub fn on_raw_output(mut self, listener: impl FnMut(Stream, &[u8]) + Send + 'static) -> Self {
        self.ears.raw = Listener::new(listener);
        self
    }

    /// Reads what the agent used, what it says and whether it failed out of what it prints, in all of its
    /// runs. Of a run that was resumed, it first reads what the last iteration's agent printed, as far as it was kept:
    /// a thread that goes on reports that use again. What it says is then what the next prompt gets, and what the [listener](Self::on_output) does.
    ///
    /// A failure that the agent reports fails the iteration, whatever its exit code; a rate limit whose end
    /// is known puts it off until then ([`WorkError::Later`]), twenty times in a row at most. One that came to a limit of its own has worked: that
    /// is a fault, and is judged.
    #[must_use]
    pub fn usage_reader(mut self, reader: UsageReader) -> Self {
        self.ears.reader = Some(reader);
        self
    }

    /// Calls `listener` with what is odd about what the agent reports of its use, each kind of it once:
    /// numbers that were refused, a model without a price.
    #[must_use]
    pub fn on_note(mut self, listener: impl FnMut(&str) + Send + 'static) -> Self {
        self.ears.on_note = OnNote::new(listener);
        self
    }

    /// Says that the command costs money although nothing of what it prints is read as usage: a run of it after which
    /// nothing stands in the [`UsageFile`](crate::usage::UsageFile) makes the cost a lower bound, and not one that is
    /// known. So with a second agent, a reviewer, beside one that reports.
    #[must_use]
    pub const fn costs(mut self, costs: bool) -> Self {
        self.costs = costs;
        self
    }

    /// The command line.
    pub fn command(&self) -> &CommandLine {
        &self.command
    }

    /// The prompt's template.
    pub fn template(&self) -> &Template {
        &self.briefing.template
    }

    /// What the first iteration would run, and with what prompt; nothing is run. `left` is what the
    /// guardrails leave to it.
    ///
    /// # Errors
    /// A prompt that has to be an argument and cannot be one.
    pub fn preview(&self, left: Ceiling) -> Result<Preview, PromptUndeliverable> {
        let prompt = self.briefing.template.render(&self.briefing.first(left));
        Ok(Preview { invocation: self.command.with_prompt(prompt.as_str())?, prompt })
    }

    /// What becomes of an iteration whose agent says that it failed. Why it is put off is noted.
    fn failed(&mut self, failure: AgentFailure, cx: &IterationContext<ShellOutput>) -> WorkError {
        match self.patience.wait(failure.rate_limit) {
            Wait::For(after) => {
                cx.fault(failure.to_string());
                WorkError::Later { after }
            }
            Wait::None => WorkError::failed(failure),
            Wait::Over => WorkError::failed(OutOfPatience(failure)),
        }
    }

    /// The prompt of the iteration in this context. For one that is long over, a context can be made of what a
    /// journal holds: the same step before gives the same prompt.
    ///
    /// ```
    /// use loop_agents::shell::ShellAgent;
    /// use loop_core::{IterationContext, Work};
    ///
    /// let agent = ShellAgent::new("my-agent")?.goal("all is well").prompt("{iteration}: {goal}. {guidance}");
    /// let cx = IterationContext::new(&Work::new(), 3).with_guidance(Some("not the tests".into()));
    /// assert_eq!(agent.prompt_in(&cx), "3: all is well. not the tests");
    /// # Ok::<(), loop_agents::shell::CommandError>(())
    /// ```
    pub fn prompt_in(&self, cx: &IterationContext<ShellOutput>) -> String {
        let mut values = self.briefing.values(cx, |output, bytes| output.said().excerpt(bytes));
        if let Some(step) = cx.previous() {
            values.agent_exit = step.output().map(|output| output.exit);
            let mut marks = step.marks().iter();
            let exit = marks.find(|mark| &*mark.name == EVALUATOR_EXIT_MARK);
            values.evaluator_exit_code = exit.and_then(|mark| i32::try_from(mark.hash).ok());
        }
        self.briefing.template.render(&values)
    }

    /// Runs the command once with this prompt, whatever the template says. `hear` is called with every piece of
    /// output, byte for byte, before the listeners are.
    ///
    /// # Errors
    /// Those of an iteration.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and its group at once.
    pub async fn work(
        &mut self,
        prompt: String,
        cx: IterationContext<ShellOutput>,
        mut hear: impl FnMut(Stream, &[u8]) + Send,
    ) -> Result<ShellOutput, WorkError> {
        let Invocation { line, input } = self.command.with_prompt(prompt).map_err(Halt::from)?;
        self.shell.ensure_usage_file().map_err(|error| trouble::no_usage_file(&error))?;
        let process = self.shell.command(line).input(input).also_env(variables(cx.left()));
        let (meter, lines) = (cx.meter(), self.shell.reported_lines());
        let _bill = self.costs.then(|| Bill::new(&self.shell, &meter));
        self.ears.recall(cx.previous().and_then(Step::output).map(|output| &output.stdout));
        let mut hearing = self.ears.hearing(&meter);
        let listener = |stream, bytes: &[u8]| {
            hear(stream, bytes);
            hearing.hear(stream, bytes);
        };
        let ran = self.shell.run(process, cx.iteration(), Some(&meter), cx.cancelled(), listener).await;
        let Heard { text, failure, fault, unfinished, counted, is_silent } = hearing.finish();
        let finished = ran.map_err(|error| trouble::not_run(error, self.command.takes_prompt()))?;
        if finished.cut.is_none() && finished.exit.is_unavailable() {
            let why = exit_with_reason(finished.exit, &finished.stderr);
            return Err(trouble::unavailable(&format!("it {why}")).into());
        }
        let is_in_file = self.shell.reported_lines() > lines;
        if counted && is_in_file {
            self.ears.note(vec![trouble::TWICE.to_owned()]);
        }
        if is_silent && !is_in_file && finished.cut.is_none() {
            self.ears.note(vec![trouble::SILENT.to_owned()]);
        }
        // Who was made to end may well call that a failure.
        if let Some(failure) = failure.filter(|_| finished.cut.is_none()) {
            return Err(self.failed(failure, &cx));
        }
        self.patience = Patience::default();
        let faults: Vec<_> = fault.into_iter().chain(trouble::faults(&finished)).collect();
        if !faults.is_empty() {
            cx.fault(faults.join("; "));
        }
        let Finished { exit, cut, stdout, stderr, .. } = finished;
        let cut = cut.map(|cut| cut.to_string());
        let output = ShellOutput { cut, text, unfinished, ..ShellOutput::new(exit, stdout, stderr) };
        cx.mark(OUTPUT_MARK, output.said().fingerprint());
        Ok(output)
    }

    /// What the command prints.
    pub(crate) fn format(&self) -> Format {
        self.ears.reader.as_ref().map_or(Format::Text, UsageReader::format)
    }
}

#[async_trait]
impl Iteration for ShellAgent {
    type Output = ShellOutput;

    async fn run(&mut self, cx: IterationContext<ShellOutput>) -> Result<ShellOutput, WorkError> {
        let prompt = self.prompt_in(&cx);
        self.work(prompt, cx, |_, _| {}).await
    }
}
