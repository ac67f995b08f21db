//! A person at a terminal, line by line.

use std::{pin::pin, process::ExitCode};

use super::{
    Interrupted, Session,
    editor::{Editor, Prompt, Typed},
};
use crate::{
    exit,
    signals::{Signal, Signals},
    view::{self, DIM, Unechoed, paint},
};

/// Does what is typed, until the person leaves or the terminal does.
///
/// Between two lines is where other things can happen than somebody typing: what comes from elsewhere asks the editor
/// to [let go](Editor::pause), does its work, and lets it go on with what was typed.
pub(super) async fn run(
    session: &mut Session,
    editor: &mut Editor,
    signals: &mut Signals,
) -> anyhow::Result<ExitCode> {
    while !session.is_over() {
        view::flush();
        editor.ask(Prompt { is_unsafe: session.tools.are_unsafe() });
        let line = match next(editor, signals).await {
            Ok(Typed::Line(line)) => line,
            Ok(Typed::Interrupted) => {
                session.say(&paint(DIM, "Ctrl+D leaves"));
                continue;
            }
            Ok(Typed::Paused) => continue,
            Ok(Typed::End) => break,
            Ok(Typed::Failed(why)) => return Err(anyhow::anyhow!("the terminal cannot be read: {why}")),
            Err(signal) => return Ok(ExitCode::from(exit::of_signal(signal))),
        };
        if let Some(signal) = perform(session, &line, signals).await {
            return Ok(ExitCode::from(exit::of_signal(signal)));
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// What is typed next, or the signal that ends the session.
async fn next(editor: &mut Editor, signals: &mut Signals) -> Result<Typed, Signal> {
    loop {
        tokio::select! {
            typed = editor.typed() => return Ok(typed),
            signal = signals.next() => match signal {
                // It was meant for a turn that has just ended.
                Signal::Interrupt => {}
                other => {
                    // The terminal is to be left as it was.
                    editor.pause();
                    editor.typed().await;
                    view::say("");
                    return Err(other);
                }
            },
        }
    }
}

/// Does what a line asks for, and hears signals meanwhile. Ctrl+C ends it; the others end the session, and are given.
async fn perform(session: &mut Session, line: &str, signals: &mut Signals) -> Option<Signal> {
    let stop = session.begin(line);
    // Ctrl+C, and what is typed for later, would stand in the midst of what is said.
    let _unechoed = Unechoed::begin();
    let mut acting = pin!(session.act(line));
    let done = loop {
        tokio::select! {
            done = &mut acting => break done,
            signal = signals.next() => match signal {
                Signal::Interrupt => stop.cancel(),
                // What was begun is dropped, and so ended.
                other => return Some(other),
            },
        }
    };
    match done {
        Ok(()) => {}
        Err(error) if error.is::<Interrupted>() => view::say(&paint(DIM, Interrupted)),
        Err(error) => view::error(&error),
    }
    None
}
