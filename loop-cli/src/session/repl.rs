//! The loop that reads and carries out a person's lines.

use std::{pin::pin, process::ExitCode, time::Duration};

use tokio::{sync::mpsc::UnboundedReceiver, time::timeout};

use loop_core::{CancellationToken, with_causes};
use loop_session::{
    InputError, Question, Session, is_loop,
    jobs::{DueJob, MissedAnswer, MissedJobs, SessionScheduler},
};

use super::editor::{Editor, Prompt, Typed, gone};
use crate::{
    clock, exit,
    signals::{Signal, Signals},
    view::{self, DIM, Unechoed, paint},
};

/// Carries out typed lines until the person leaves or the terminal is gone.
///
/// Other events are handled between two lines. They ask the editor to [let go](Editor::let_go), do their work, and then
/// let the editor continue with the text typed so far.
pub(super) async fn run(
    session: &mut Session,
    editor: &mut Editor,
    signals: &mut Signals,
) -> anyhow::Result<ExitCode> {
    let mut clockwork = SessionScheduler::start(session.jobs());
    let mut asking = missed(session);
    while !session.is_over() {
        view::flush();
        editor.ask(Prompt { is_unsafe: session.is_unsafe() });
        clockwork.set_free(true);
        let next = next(editor, signals, &mut clockwork).await;
        clockwork.set_free(false);
        let signal = match next {
            Ok(Next::Typed(Typed::Line(line))) => heard(session, &line, &mut asking, editor, signals).await,
            Ok(Next::Typed(Typed::Interrupted)) => {
                session.say(&paint(DIM, "Ctrl+D leaves"));
                None
            }
            Ok(Next::Typed(Typed::Paused)) => None,
            Ok(Next::Typed(Typed::End)) => break,
            Ok(Next::Typed(Typed::Failed(why))) => {
                return Err(anyhow::anyhow!("the terminal cannot be read: {why}"));
            }
            Ok(Next::Due(due)) => fire(session, &due, editor, signals).await,
            Err(signal) => Some(signal),
        };
        if let Some(signal) = signal {
            return Ok(ExitCode::from(exit::of_signal(signal)));
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// The next event between two lines.
enum Next {
    Typed(Typed),
    /// A prompt is due; the editor has released the terminal.
    Due(DueJob),
}

/// Returns the next event, or the signal that ends the session.
async fn next(
    editor: &mut Editor,
    signals: &mut Signals,
    clockwork: &mut SessionScheduler,
) -> Result<Next, Signal> {
    let mut gone = pin!(gone());
    loop {
        let signal = tokio::select! {
            typed = editor.typed() => return Ok(Next::Typed(typed)),
            due = clockwork.due() => match editor.let_go().await {
                Some(Typed::Paused) => return Ok(Next::Due(due)),
                // A line came first, or the terminal is gone.
                typed => {
                    clockwork.hold(due);
                    if let Some(typed) = typed {
                        return Ok(Next::Typed(typed));
                    }
                    continue;
                }
            },
            signal = signals.next() => signal,
            () = &mut gone => Signal::Hangup,
        };
        // This Ctrl+C was meant for a turn that has just ended.
        if signal != Signal::Interrupt {
            // Restore the terminal, if it still exists.
            if editor.let_go().await.is_some() {
                view::say("");
            }
            return Err(signal);
        }
    }
}

/// Shows the jobs missed while no session was open, and asks about the first one.
fn missed(session: &Session) -> MissedJobs {
    let asking = session.jobs().missed(clock::now()).unwrap_or_else(|error| {
        view::warning(&format!("what was missed cannot be read: {}", with_causes(&error)));
        MissedJobs::default()
    });
    ask(session, &asking);
    asking
}

fn ask(session: &Session, asking: &MissedJobs) {
    if let Some(question) = asking.question(session.jobs(), clock::now()) {
        session.say(&question);
    }
}

/// Handles a typed line: the answer to a question, or any other input.
async fn heard(
    session: &mut Session,
    line: &str,
    asking: &mut MissedJobs,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Option<Signal> {
    let line = match asking.hear(line, session.jobs()) {
        Ok(None) => line.to_owned(),
        Ok(Some(wanted)) => {
            ask(session, asking);
            match wanted {
                MissedAnswer::Line(line) => line,
                MissedAnswer::Elsewhere => {
                    session.say("it fires when `loop schedule run` works in this folder");
                    return None;
                }
                MissedAnswer::Gone => return None,
            }
        }
        Err(error) => {
            view::error(&error.into());
            return None;
        }
    };
    // Loops run unattended, even though a person started them.
    let questions = (!is_loop(&line)).then(|| session.approvals().open());
    perform(session, &line, questions, editor, signals).await
}

/// Carries out a due job, above the text being typed.
async fn fire(
    session: &mut Session,
    due: &DueJob,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Option<Signal> {
    if !due.begins().await {
        return None;
    }
    session.say(&paint(DIM, due.heading()));
    perform(session, due.prompt(), None, editor, signals).await
}

/// How long the current work may take to end when a signal ends the session. Only a slow disk needs this time.
const GRACE: Duration = Duration::from_secs(2);

/// Carries out a line while handling signals. Ctrl+C ends the line; other signals end the session and are returned.
/// Exit words also end a loop. The person answers questions from tools meanwhile.
async fn perform(
    session: &mut Session,
    line: &str,
    mut questions: Option<UnboundedReceiver<Question>>,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Option<Signal> {
    let (stop, host) = (CancellationToken::new(), session.host().clone());
    // Otherwise Ctrl+C, and text typed ahead, would appear in the middle of the output.
    let _unechoed = Unechoed::begin();
    let mut acting = pin!(session.act(line, stop.clone()));
    let mut question: Option<Question> = None;
    let done = loop {
        tokio::select! {
            done = &mut acting => break done,
            signal = signals.next() => {
                stop.cancel();
                if signal != Signal::Interrupt {
                    // Give the transcript time to record the end; work that takes longer is dropped, which ends it.
                    let _ = timeout(GRACE, &mut acting).await;
                    return Some(signal);
                }
            }
            typed = typed_meanwhile(editor, is_loop(line), question.is_some()), if !stop.is_cancelled() => {
                match question.take() {
                    Some(question) => question.answered(typed.as_deref(), &host),
                    None => stop.cancel(),
                }
            }
            Some(next) = next_question(questions.as_mut()), if question.is_none() => {
                editor.keep_typed();
                question = next.show(&host);
            }
        }
    };
    match done {
        Ok(()) => {}
        Err(error @ InputError::Interrupted) => view::say(&paint(DIM, error)),
        Err(error) => view::error(&error.into()),
    }
    None
}

/// Returns the next question of a tool; waits forever if tools cannot ask.
async fn next_question(questions: Option<&mut UnboundedReceiver<Question>>) -> Option<Question> {
    questions?.recv().await
}

/// Waits for the answer to a question, or for typed input that ends the work. Keeps all other input.
async fn typed_meanwhile(editor: &mut Editor, is_loop: bool, is_asked: bool) -> Option<String> {
    if is_asked {
        return editor.answer().await;
    }
    editor.until_ended(is_loop).await;
    None
}
