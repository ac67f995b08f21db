//! An iteration that is a command.

use super::{
    AgentPrompt, BackgroundPolicy, CommandError, CommandLine, Invocation, PromptMemory, PromptUndeliverable,
    ShellOutput, Template,
    background::{self, BackgroundWork},
    evaluator::EVALUATOR_EXIT_MARK,
    failures,
    output_listener::OutputListener,
    output_reader::{AgentListeners, OnNote, OutputReport},
    rate_limit_backoff::{BackoffDecision, RateLimitBackoff, TooManyWaits},
    shell_settings::{Shell, variables},
    unreported_cost::UnreportedCostGuard,
};
use crate::{
    output::OUTPUT_MARK,
    process::{OutputStream, ProcessOutput},
    usage::{AgentFailure, Format, UsageReader, at_least_nothing},
};
use async_trait::async_trait;
use loop_core::{Halt, Iteration, IterationContext, Step, WorkError};

/// An agent that is a command: each iteration runs it once, with a prompt from a [`Template`].
///
/// The exit code does not decide whether the work is good. The evaluator does. A code other than 0 is recorded as a
/// fault of the step, and the next prompt can include it (`{agent_exit_code}`). Only 126 and 127, with which a shell
/// reports that it cannot run the program, end the run.
///
/// # Default
/// The template `{goal}`, an empty goal, the default [`Shell`] with its own [`UsageFile`](crate::usage::UsageFile)
/// created in the first iteration, no unreported [cost](Self::costs), and at most 32 KiB of text for each placeholder
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
    agent_prompt: AgentPrompt,
    shell: Shell,
    listeners: AgentListeners,
    backoff: RateLimitBackoff,
    costs: bool,
    role: &'static str,
    background: BackgroundPolicy,
}

/// A preview of the first iteration, from [`ShellAgent::preview`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The prompt.
    pub prompt: String,
    /// The command line that contains the prompt, or reads the prompt as its input.
    pub invocation: Invocation,
}

impl ShellAgent {
    /// Creates an agent from a command line.
    ///
    /// # Errors
    /// The same as for [`CommandLine::parse`].
    pub fn new(command: &str) -> Result<Self, CommandError> {
        CommandLine::parse(command).map(Self::of)
    }

    /// Creates an agent from a checked command line.
    pub fn of(command: CommandLine) -> Self {
        Self {
            command,
            agent_prompt: AgentPrompt::default(),
            shell: Shell::new(),
            listeners: AgentListeners::default(),
            backoff: RateLimitBackoff::default(),
            costs: false,
            role: "agent",
            background: BackgroundPolicy::default(),
        }
    }

    /// Names the command in messages about its failures. The default is `agent`: "the agent exited with 1".
    #[must_use]
    pub const fn role(mut self, role: &'static str) -> Self {
        self.role = role;
        self
    }

    /// Sets the goal, which is the value of `{goal}`.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.agent_prompt.goal = goal.into();
        self
    }

    /// Sets the prompt's template; see [`Placeholder`](super::Placeholder).
    #[must_use]
    pub fn prompt(mut self, template: impl Into<Template>) -> Self {
        self.agent_prompt.template = template.into();
        self
    }

    /// Sets where and how the command runs.
    #[must_use]
    pub fn shell(mut self, shell: Shell) -> Self {
        self.shell = shell;
        self
    }

    /// Sets how many bytes of the last output, and of the last verdict, go into a prompt.
    #[must_use]
    pub fn feedback_bytes(mut self, bytes: usize) -> Self {
        self.agent_prompt.feedback_bytes = bytes;
        self
    }

    /// Sets the source of `{memory}`. Without one, its value is empty.
    #[must_use]
    pub fn memory(mut self, memory: Option<PromptMemory>) -> Self {
        self.agent_prompt.memory = memory;
        self
    }

    /// Calls `listener` with every piece of output as it comes, for a live view. The agent
    /// waits while the listener runs.
    #[must_use]
    pub fn on_output(mut self, listener: impl FnMut(OutputStream, &[u8]) + Send + 'static) -> Self {
        self.listeners.listener = OutputListener::new(listener);
        self
    }

    /// Calls `listener` with every piece of output byte for byte, even if a [`usage_reader`](Self::usage_reader) turns
    /// the output into text for people. The agent waits while the listener runs.
    #[must_use]
    pub fn on_raw_output(mut self, listener: impl FnMut(OutputStream, &[u8]) + Send + 'static) -> Self {
        self.listeners.raw = OutputListener::new(listener);
        self
    }

    /// Reads the agent's usage, words and failures from its output, in all of its runs. The next prompt and the
    /// [listener](Self::on_output) then get the agent's words instead of the raw output. After a resume, the reader
    /// first reads the stored output of the last iteration, because an agent that continues a thread reports its
    /// earlier usage again.
    ///
    /// A failure that the agent reports fails the iteration, whatever its exit code. A rate limit with a known end
    /// defers the iteration until then ([`WorkError::Later`]), at most twenty times in a row. If the agent reaches a
    /// limit of its own, it has worked: that is a fault, and the evaluator judges the work.
    #[must_use]
    pub fn usage_reader(mut self, reader: UsageReader) -> Self {
        self.listeners.reader = Some(reader);
        self
    }

    /// Calls `listener` with each kind of anomaly in the agent's usage reports once: rejected numbers, or a model
    /// without a price.
    #[must_use]
    pub fn on_note(mut self, listener: impl FnMut(&str) + Send + 'static) -> Self {
        self.listeners.on_note = OnNote::new(listener);
        self
    }

    /// Declares that the command costs money although we read no usage from its output. If a run of it adds nothing to
    /// the [`UsageFile`](crate::usage::UsageFile), the total cost and the total number of tokens become lower bounds. Use
    /// this, for example, for a reviewer beside an agent that reports its usage.
    #[must_use]
    pub const fn costs(mut self, costs: bool) -> Self {
        self.costs = costs;
        self
    }

    /// Sets what happens to background work that is not done when the agent ends. The [format](Format) of the
    /// [`usage_reader`](Self::usage_reader) tells how the agent declares such work.
    #[must_use]
    pub const fn background(mut self, policy: BackgroundPolicy) -> Self {
        self.background = policy;
        self
    }

    /// Returns the command line.
    pub fn command(&self) -> &CommandLine {
        &self.command
    }

    /// Returns the prompt's template.
    pub fn template(&self) -> &Template {
        &self.agent_prompt.template
    }

    /// Returns the command line and the prompt of the first iteration, without running anything. `cx` is the
    /// context of that iteration.
    ///
    /// # Errors
    /// Fails if the prompt has to be an argument and cannot be one.
    pub fn preview(&self, cx: &IterationContext<ShellOutput>) -> Result<Preview, PromptUndeliverable> {
        let prompt = self.prompt_in(cx);
        Ok(Preview { invocation: self.command.with_prompt(prompt.as_str())?, prompt })
    }

    /// Returns the error for an iteration whose agent reports a failure. If it defers the iteration, it notes the
    /// reason.
    fn failed(&mut self, failure: AgentFailure, cx: &IterationContext<ShellOutput>) -> WorkError {
        match self.backoff.wait(failure.rate_limit) {
            BackoffDecision::WaitFor(after) => {
                cx.fault(failure.to_string());
                WorkError::Later { after }
            }
            BackoffDecision::NoKnownEnd => WorkError::failed(failure),
            BackoffDecision::GiveUp => WorkError::failed(TooManyWaits(failure)),
        }
    }

    /// Returns the prompt of the iteration in this context. For an old iteration, build the context from a journal: the
    /// same previous step gives the same prompt.
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
        let mut values = self.agent_prompt.values(cx, |output, bytes| output.said().excerpt(bytes));
        if let Some(step) = cx.previous() {
            values.agent_exit = step.output().map(|output| output.exit);
            let mut marks = step.marks().iter();
            let exit = marks.find(|mark| &*mark.name == EVALUATOR_EXIT_MARK);
            values.evaluator_exit_code = exit.and_then(|mark| i32::try_from(mark.hash).ok());
            values.notice = background::notice(step.cut_work(), step.output()).into();
        }
        self.agent_prompt.template.render(&values)
    }

    /// Runs the command once with this prompt, and ignores the template. It calls `on_output` with every piece of
    /// output, byte for byte, before the listeners.
    ///
    /// # Errors
    /// The same as for an iteration.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command and its group at once.
    pub async fn work(
        &mut self,
        prompt: String,
        cx: IterationContext<ShellOutput>,
        mut on_output: impl FnMut(OutputStream, &[u8]) + Send,
    ) -> Result<ShellOutput, WorkError> {
        let Invocation { line, input } = self.command.with_prompt(prompt).map_err(Halt::from)?;
        self.shell.ensure_usage_file().map_err(|error| failures::no_usage_file(&error))?;
        let work = BackgroundWork::of(self.format(), self.background);
        let lingering = work.clone();
        let process = self.shell.command(line).input(input).also_env(variables(cx.left()));
        let process = process.linger(move |processes| lingering.linger(processes));
        let (meter, lines) = (cx.meter(), self.shell.reported_lines());
        let _cost_guard = self.costs.then(|| UnreportedCostGuard::new(&self.shell, &meter));
        self.listeners.recall(cx.previous().and_then(Step::output).map(|output| &output.stdout));
        let mut reader = self.listeners.read_run(&meter);
        let listener = |stream, bytes: &[u8]| {
            on_output(stream, bytes);
            work.feed(stream, bytes);
            reader.feed(stream, bytes);
        };
        let ran = self.shell.run(process, cx.iteration(), Some(&meter), cx.cancelled(), listener).await;
        let OutputReport { text, failure, fault, unfinished, counted, is_silent } = reader.finish();
        let finished =
            ran.map_err(|error| failures::not_run(self.role, error, self.command.takes_prompt()))?;
        if finished.cut.is_none() && finished.exit.is_unavailable() {
            let why = finished.exit.with_reason(&finished.stderr);
            return Err(failures::unavailable(self.role, &format!("it {why}")).into());
        }
        let is_in_file = self.shell.reported_lines() > lines;
        if counted && is_in_file {
            self.listeners.note(vec![failures::TWICE.to_owned()]);
        }
        if is_silent && !is_in_file && finished.cut.is_none() {
            self.listeners.note(vec![failures::SILENT.to_owned()]);
        }
        // If we made the agent end, it may report that as a failure. Ignore that report.
        if let Some(failure) = failure.filter(|_| finished.cut.is_none()) {
            let error = self.failed(failure, &cx);
            if !counted && !is_in_file && !matches!(error, WorkError::Later { .. }) {
                // It worked before it failed, and that may have used anything.
                meter.add(at_least_nothing());
            }
            return Err(error);
        }
        self.backoff = RateLimitBackoff::default();
        work.judge(&finished, &cx)?;
        let faults: Vec<_> = fault.into_iter().chain(failures::faults(self.role, &finished)).collect();
        if !faults.is_empty() {
            cx.fault(faults.join("; "));
        }
        let ProcessOutput { exit, cut, stdout, stderr, leftovers, .. } = finished;
        let (cut, left_behind) = (cut.map(|cut| cut.to_string()), background::bounded_lines(&leftovers));
        let output =
            ShellOutput { cut, text, unfinished, left_behind, ..ShellOutput::new(exit, stdout, stderr) };
        cx.mark(OUTPUT_MARK, output.said().fingerprint());
        Ok(output)
    }

    /// Returns the format of the command's output.
    pub(crate) fn format(&self) -> Format {
        self.listeners.reader.as_ref().map_or(Format::Text, UsageReader::format)
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
