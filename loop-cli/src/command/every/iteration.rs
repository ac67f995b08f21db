//! The work of each iteration.

use async_trait::async_trait;
use loop_agents::{
    chat::{ChatAgent, TurnOutput},
    process::OutputStream,
    shell::ShellAgent,
};
use loop_core::{Halt, Iteration, IterationContext, IterationError, StopReason, WorkError};
use loop_manifest::{ExecutionContext, model::ConversationOptions};
use loop_session::repeat::RepetitionCondition;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    super::{Failure, OrFail, chat, environment::settings, rag::PromptDocuments},
    repetition_output::RepetitionOutput,
};
use crate::{
    output_logs::OutputLogs,
    view::{CommandOutput, ReplyWriter, text},
};

/// Prepares a command.
pub(crate) fn command(line: &str, cx: &ExecutionContext) -> Result<Box<ShellAgent>, Failure> {
    // Passes all the user's variables: the command is the user's own.
    let shell = cx.shell(cx.variables().iter().cloned());
    let agent = ShellAgent::new(line).or_usage(|| "the command")?;
    Ok(Box::new(agent.prompt("").shell(shell).role("command")))
}

/// A turn, with what retrieval finds for its prompt as it is then.
pub(crate) struct RepeatedTurn {
    agent: ChatAgent,
    prompt: String,
    documents: PromptDocuments,
}

/// Prepares a turn.
pub(crate) fn turn(
    prompt: &str,
    conversation: &ConversationOptions,
    fresh: bool,
    cx: &ExecutionContext,
) -> Result<Box<RepeatedTurn>, Failure> {
    let settings = settings(cx.folder())?;
    let (model, chat) = conversation.begin(&settings, cx)?;
    let agent = ChatAgent::new(chat).goal(prompt);
    let agent = if fresh { agent.fresh() } else { agent };
    let documents = PromptDocuments::new(&model, Some(cx.folder()));
    Ok(Box::new(RepeatedTurn { agent, prompt: prompt.to_owned(), documents }))
}

/// An iteration whose output has listeners.
pub(crate) trait RepeatedIteration: Sized {
    type Output: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Attaches the listeners: the stop condition, the person, and the files that store the whole output.
    fn with_listeners(
        self,
        until: &RepetitionCondition,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, RepetitionOutput);
}

impl RepeatedIteration for Box<ShellAgent> {
    type Output = <ShellAgent as Iteration>::Output;

    fn with_listeners(
        self,
        until: &RepetitionCondition,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, RepetitionOutput) {
        let (until, results) = (until.clone(), is_shown.then(CommandOutput::new));
        let shown = results.clone();
        let mut command = self.on_output(move |stream, bytes| {
            until.feed(bytes);
            if let Some(shown) = &shown {
                shown.feed(stream, bytes);
            }
        });
        if let Some(logs) = logs {
            command = command.on_raw_output(move |stream, bytes| logs.write(stream, bytes));
        }
        let command = ObservedCommand { agent: command, results: results.clone() };
        (FailureTolerant(command), results.map_or(RepetitionOutput::Hidden, RepetitionOutput::Commands))
    }
}

impl RepeatedIteration for Box<RepeatedTurn> {
    type Output = TurnOutput;

    fn with_listeners(
        self,
        until: &RepetitionCondition,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, RepetitionOutput) {
        let reply = is_shown.then(ReplyWriter::new);
        let mut turn = *self;
        if let Some(sender) = reply.as_ref().map(ReplyWriter::sender) {
            turn.agent = turn.agent.on_event(move |event| chat::show(&sender, event));
        }
        let listening = ObservedTurn { turn, until: until.clone(), logs };
        (FailureTolerant(listening), reply.map_or(RepetitionOutput::Hidden, RepetitionOutput::Turns))
    }
}

/// A command that marks the end of its shown output if it had to be ended.
struct ObservedCommand {
    agent: ShellAgent,
    results: Option<CommandOutput>,
}

#[async_trait]
impl Iteration for ObservedCommand {
    type Output = <ShellAgent as Iteration>::Output;

    async fn run(&mut self, cx: IterationContext<Self::Output>) -> Result<Self::Output, IterationError> {
        let done = self.agent.run(cx).await;
        if let Some(results) =
            self.results.as_ref().filter(|_| !matches!(&done, Ok(output) if output.cut.is_none()))
        {
            results.break_off();
        }
        done
    }
}

/// A turn that reports its reply when it is complete: text before a tool call is not yet a reply.
struct ObservedTurn {
    turn: RepeatedTurn,
    until: RepetitionCondition,
    logs: Option<OutputLogs>,
}

#[async_trait]
impl Iteration for ObservedTurn {
    type Output = TurnOutput;

    async fn run(&mut self, cx: IterationContext<TurnOutput>) -> Result<TurnOutput, IterationError> {
        let turn = &mut self.turn;
        let found = tokio::select! {
            biased;
            () = cx.cancelled() => None,
            found = turn.documents.find(&turn.prompt) => found,
        };
        turn.agent.set_context(found);
        let output = turn.agent.run(cx).await?;
        self.until.feed(output.text.as_bytes());
        if let Some(logs) = &self.logs {
            logs.write(OutputStream::Stdout, output.text.as_bytes());
        }
        Ok(output)
    }
}

/// Work whose failures do not end the repetition, except failures of the loop itself. A missing program or model may be
/// back after the pause. A rate limit counts as an error too: waiting for its end would change the interval.
struct FailureTolerant<I>(I);

#[async_trait]
impl<I: Iteration> Iteration for FailureTolerant<I> {
    type Output = I::Output;

    async fn run(&mut self, cx: IterationContext<I::Output>) -> Result<I::Output, IterationError> {
        self.0.run(cx).await.map_err(|error| match error {
            WorkError::Later { after } => WorkError::failed(format!(
                "the agent reached a rate limit, which ends in {}",
                text::duration(after)
            )),
            WorkError::Halt(Halt {
                reason: StopReason::AgentUnavailable | StopReason::PromptUndeliverable,
                message,
                ..
            }) => WorkError::failed(message),
            other => other,
        })
    }
}

/// Builds the command line. One word is a shell line, as for `watch`; several words are a program and its literal
/// arguments.
pub(super) fn command_line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str))
            .unwrap_or_else(|_| unreachable!("no argument of a process has a NUL in it")),
    }
}
