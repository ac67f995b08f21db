//! The work of each iteration.

use async_trait::async_trait;
use loop_agents::{
    chat::{ChatAgent, TurnOutput},
    process::Stream,
    shell::ShellAgent,
};
use loop_core::{Halt, Iteration, IterationContext, IterationError, StopReason, WorkError};
use loop_manifest::{ExecutionContext, model::Conversation};
use loop_session::repeat::Until;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    super::{Failure, OrFail, chat, setting::settings},
    mouth::Mouth,
};
use crate::{
    logging::OutputLogs,
    view::{Replying, Results, text},
};

/// Prepares a command.
pub(in crate::command) fn command(line: &str, place: &ExecutionContext) -> Result<Box<ShellAgent>, Failure> {
    // Passes all the user's variables: the command is the user's own.
    let shell = place.shell(place.variables().iter().cloned());
    let agent = ShellAgent::new(line).or_usage(|| "the command")?;
    Ok(Box::new(agent.prompt("").shell(shell)))
}

/// Prepares a turn.
pub(in crate::command) fn turn(
    prompt: &str,
    conversation: &Conversation,
    fresh: bool,
    place: &ExecutionContext,
) -> Result<Box<ChatAgent>, Failure> {
    let settings = settings(place.folder())?;
    let (_, chat) = conversation.begin(&settings, place)?;
    let agent = ChatAgent::new(chat).goal(prompt);
    Ok(Box::new(if fresh { agent.fresh() } else { agent }))
}

/// An iteration whose output has listeners.
pub(in crate::command) trait Once: Sized {
    type Output: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Attaches the listeners: the stop condition, the person, and the files that store the whole output.
    fn heard(
        self,
        until: &Until,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, Mouth);
}

impl Once for Box<ShellAgent> {
    type Output = <ShellAgent as Iteration>::Output;

    fn heard(
        self,
        until: &Until,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, Mouth) {
        let (until, results) = (until.clone(), is_shown.then(Results::new));
        let shown = results.clone();
        let mut command = self.on_output(move |stream, bytes| {
            until.hear(bytes);
            if let Some(shown) = &shown {
                shown.feed(stream, bytes);
            }
        });
        if let Some(logs) = logs {
            command = command.on_raw_output(move |stream, bytes| logs.write(stream, bytes));
        }
        (GoesOn(command), results.map_or(Mouth::Shut, Mouth::OfCommands))
    }
}

impl Once for Box<ChatAgent> {
    type Output = TurnOutput;

    fn heard(
        self,
        until: &Until,
        is_shown: bool,
        logs: Option<OutputLogs>,
    ) -> (impl Iteration<Output = Self::Output> + 'static, Mouth) {
        let reply = is_shown.then(Replying::new);
        let agent = match reply.as_ref().map(Replying::teller) {
            Some(teller) => self.on_event(move |event| chat::show(&teller, event)),
            None => *self,
        };
        let listening = Listening { agent, until: until.clone(), logs };
        (GoesOn(listening), reply.map_or(Mouth::Shut, Mouth::OfTurns))
    }
}

/// A turn that reports its reply when it is complete: text before a tool call is not yet a reply.
struct Listening {
    agent: ChatAgent,
    until: Until,
    logs: Option<OutputLogs>,
}

#[async_trait]
impl Iteration for Listening {
    type Output = TurnOutput;

    async fn run(&mut self, cx: IterationContext<TurnOutput>) -> Result<TurnOutput, IterationError> {
        let output = self.agent.run(cx).await?;
        self.until.hear(output.text.as_bytes());
        if let Some(logs) = &self.logs {
            logs.write(Stream::Stdout, output.text.as_bytes());
        }
        Ok(output)
    }
}

/// Work whose failures do not end the repetition, except failures of the loop itself. A missing program or model may be
/// back after the pause. A rate limit counts as an error too: waiting for its end would change the interval.
struct GoesOn<I>(I);

#[async_trait]
impl<I: Iteration> Iteration for GoesOn<I> {
    type Output = I::Output;

    async fn run(&mut self, cx: IterationContext<I::Output>) -> Result<I::Output, IterationError> {
        self.0.run(cx).await.map_err(|error| match error {
            WorkError::Later { after } => {
                WorkError::failed(format!("a rate limit, for another {}", text::duration(after)))
            }
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
pub(super) fn line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str))
            .unwrap_or_else(|_| unreachable!("no argument of a process has a NUL in it")),
    }
}
