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

use loop_agents::chat::{Chat, TurnOutput};

pub(super) use self::answer::show;
use self::{answer::Answer, prompt::Piped};
use super::{
    Failure, OrFail,
    setting::{block_on, dir, new_run, place, settings},
    usage,
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
    let dir = dir(args.cwd.as_deref())?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let place = place(dir, new_run())?;
    let (model, mut chat) = asked(&args.chat)?.begin(&settings, &place)?;
    let done = block_on(async {
        let mut signals = Signals::listen().or_internal("signals cannot be listened for")?;
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
        return Err(usage!(
            "a session is for a person at a terminal: for one answer to a program write `--prompt TEXT`, or pipe it in"
        ));
    }
    let dir = dir(args.cwd.as_deref())?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let place = place(dir, new_run())?;
    let custody = place.custody().clone();
    let done = block_on(session::run(asked(&args.chat)?, settings, place, args.resume.as_deref()));
    custody.end();
    done
}

/// The conversation that was asked for.
pub(super) fn asked(args: &ConversationArgs) -> Result<Conversation, Failure> {
    let system = args.system.as_deref().map(text_of).transpose()?;
    Ok(Conversation { model: args.model.clone(), system, tools: args.asked_tools() })
}

/// What the model is told of itself.
fn text_of(path: &Path) -> Result<String, Failure> {
    let text = page(path).map_err(anyhow::Error::new).and_then(|bytes| Ok(String::from_utf8(bytes)?));
    text.or_usage(|| format!("--system {}", path.display()))
}

/// Reads the prompt, runs the turn, and prints the reply.
async fn answer(args: &ChatArgs, piped: Piped, model: &Model, chat: &mut Chat) -> Result<(), Failure> {
    let prompt = prompt::whole(args.prompt.as_deref(), piped).await?;
    let began = Instant::now();
    if args.json {
        let mut answer = Answer::of(model);
        let output = chat.turn(prompt).on_event(|event| answer.hear(event)).run().await?;
        view::tell_json(&answer.json(&output, began.elapsed()));
        return Ok(());
    }
    let reply = Replying::new();
    let teller = reply.teller();
    let done = chat.turn(prompt).on_event(move |event| answer::show(&teller, event)).run().await;
    reply.end().await;
    warn_of_shortcomings(&done?);
    Ok(())
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
