//! `loop chat`: one prompt, one reply.

mod answer;
mod prompt;

use loop_manifest::model::{Conversation, Model};
use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, anyhow};
use loop_agents::chat::{Chat, TurnError, TurnEvent, TurnOutput};

pub(super) use self::answer::show;
use self::{answer::Answer, prompt::Piped};
use super::{
    Failure,
    setting::{block_on, dir, new_run, place, settings},
};
use crate::{
    args::{ChatArgs, ConversationArgs},
    exit, session,
    signals::Signals,
    view::{self, Replying},
};
use loop_manifest::settings::page;

pub(crate) fn exec(args: &ChatArgs) -> Result<ExitCode, Failure> {
    let piped = Piped::look();
    if args.resume.is_some() || args.prompt.is_none() && piped == Piped::Nothing {
        return talk(args);
    }
    let dir = dir(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let place = place(dir, new_run()).map_err(Failure::Usage)?;
    let conversation = asked(&args.chat).and_then(|asked| Ok(asked.begin(&settings, &place)?));
    let (model, mut chat) = conversation.map_err(Failure::Usage)?;
    let done = block_on(async {
        let mut signals = Signals::listen().context("signals cannot be listened for")?;
        tokio::select! {
            answered = answer(args, piped, &model, &mut chat) => answered.map(|()| ExitCode::from(exit::OK)),
            // What the turn had begun is dropped, and so ended.
            signal = signals.next() => Ok(ExitCode::from(exit::of_signal(signal))),
        }
    });
    place.custody().end();
    done
}

/// A session at the terminal.
fn talk(args: &ChatArgs) -> Result<ExitCode, Failure> {
    if args.json || !io::stdin().is_terminal() || !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::Usage(anyhow!(
            "a session is for a person at a terminal: for one answer to a program write `--prompt TEXT`, or pipe it in"
        )));
    }
    let dir = dir(args.cwd.as_deref()).map_err(Failure::Usage)?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let place = place(dir, new_run()).map_err(Failure::Usage)?;
    let custody = place.custody().clone();
    let mut session = asked(&args.chat)
        .and_then(|conversation| session::prepare(conversation, settings, place))
        .map_err(Failure::Usage)?;
    let done = block_on(async { Ok(session::run(&mut session, args.resume.as_deref()).await?) });
    custody.end();
    done
}

/// The conversation that was asked for.
pub(super) fn asked(args: &ConversationArgs) -> anyhow::Result<Conversation> {
    let system = args.system.as_deref().map(text_of).transpose()?;
    Ok(Conversation { model: args.model.clone(), system, tools: args.asked_tools() })
}

/// What the model is told of itself.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let text = page(path).map_err(anyhow::Error::new).and_then(|bytes| Ok(String::from_utf8(bytes)?));
    text.with_context(|| format!("--system {}", path.display()))
}

/// Reads the prompt, runs the turn, and prints the reply.
async fn answer(args: &ChatArgs, piped: Piped, model: &Model, chat: &mut Chat) -> Result<(), Failure> {
    let prompt = prompt::whole(args.prompt.as_deref(), piped).await?;
    let began = Instant::now();
    if args.json {
        let mut answer = Answer::of(model);
        let output = turn(chat, prompt, |event| answer.hear(event)).await?;
        view::tell_json(&answer.json(&output, began.elapsed()));
        return Ok(());
    }
    let reply = Replying::new();
    let teller = reply.teller();
    let done = turn(chat, prompt, move |event| answer::show(&teller, event)).await;
    reply.end().await;
    warn_of_shortcomings(&done?);
    Ok(())
}

/// Runs it. All that can be wrong with the prompt is that it is empty; the rest is the model's, or ours.
async fn turn(
    chat: &mut Chat,
    prompt: String,
    hear: impl FnMut(TurnEvent<'_>) + Send,
) -> Result<TurnOutput, Failure> {
    chat.turn(prompt).on_event(hear).run().await.map_err(|error| match error {
        TurnError::EmptyPrompt => Failure::Usage(error.into()),
        error => Failure::Internal(error.into()),
    })
}

/// A reply that is not all that it could be.
fn warn_of_shortcomings(output: &TurnOutput) {
    if output.out_of_rounds {
        view::warning(
            "the model was still calling tools when its rounds were used up: this is what it had by then",
        );
    }
    if output.truncated {
        view::warning("the reply was cut at the most tokens that a reply may have");
    }
}
