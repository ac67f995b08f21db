//! What is done in each iteration.

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

/// A command, ready to be run.
pub(in crate::command) fn command(line: &str, place: &ExecutionContext) -> Result<Box<ShellAgent>, Failure> {
    // All the variables that the user has: the command is the user's own.
    let shell = place.shell(place.variables().iter().cloned());
    let agent = ShellAgent::new(line).or_usage(|| "the command")?;
    Ok(Box::new(agent.prompt("").shell(shell)))
}

/// A turn, ready to be taken.
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

/// An iteration that can be heard.
pub(in crate::command) trait Once: Sized {
    type Output: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The same with those who listen: what may end it, a person, and the files in which all of it is kept.
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

/// A turn whose reply is heard when it is whole: what a model says before it calls a tool is no reply yet.
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

/// Work of which no failure but the loop's own ends a repetition: a program that is missing now may be there after
/// the pause, and so may a model. A rate limit is an error too: waiting for its end would be another interval.
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

/// One word is a line for the shell, as for `watch`; several are a program and its arguments, as they are.
pub(super) fn line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str))
            .unwrap_or_else(|_| unreachable!("no argument of a process has a NUL in it")),
    }
}
