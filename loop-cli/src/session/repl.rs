//! A person at a terminal, line by line.

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

/// Does what is typed, until the person leaves or the terminal does.
///
/// Between two lines is where other things can happen than somebody typing: what comes from elsewhere asks the editor
/// to [let go](Editor::let_go), does its work, and lets it go on with what was typed.
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

/// What comes between two lines.
enum Next {
    Typed(Typed),
    /// The time of a prompt; the editor has let go.
    Due(DueJob),
}

/// What comes next, or the signal that ends the session.
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
                // Somebody was quicker, or the terminal is gone.
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
        // Ctrl+C was meant for a turn that has just ended.
        if signal != Signal::Interrupt {
            // The terminal is to be left as it was, if it is there.
            if editor.let_go().await.is_some() {
                view::say("");
            }
            return Err(signal);
        }
    }
}

/// Shows what was missed while nobody was here, and asks about the first of it.
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

/// Takes a line that was typed: an answer to what was asked, or anything else.
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
    // What a loop repeats is done without anybody there, although somebody has begun it.
    let questions = (!is_loop(&line)).then(|| session.approvals().open());
    perform(session, &line, questions, editor, signals).await
}

/// Does what is due, above what is being typed.
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

/// How long what is being done may take to end when a signal ends the session. Nothing needs it, but for a disk that is
/// slow.
const GRACE: Duration = Duration::from_secs(2);

/// Does what a line asks for, and hears signals meanwhile. Ctrl+C ends it; the others end the session, and are given.
/// A loop is also ended by the words that leave. What tools ask meanwhile, the person answers.
async fn perform(
    session: &mut Session,
    line: &str,
    mut questions: Option<UnboundedReceiver<Question>>,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Option<Signal> {
    let (stop, host) = (CancellationToken::new(), session.host().clone());
    // Ctrl+C, and what is typed for later, would stand in the midst of what is said.
    let _unechoed = Unechoed::begin();
    let mut acting = pin!(session.act(line, stop.clone()));
    let mut question: Option<Question> = None;
    let done = loop {
        tokio::select! {
            done = &mut acting => break done,
            signal = signals.next() => {
                stop.cancel();
                if signal != Signal::Interrupt {
                    // The transcript is to say how it ended; what has not by then is dropped, and so ended.
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

/// The next question of a tool, if one can come.
async fn next_question(questions: Option<&mut UnboundedReceiver<Question>>) -> Option<Question> {
    questions?.recv().await
}

/// Waits for the answer to a question, or else until something is typed that ends what is done; keeps all else.
async fn typed_meanwhile(editor: &mut Editor, is_loop: bool, is_asked: bool) -> Option<String> {
    if is_asked {
        return editor.answer().await;
    }
    editor.until_ended(is_loop).await;
    None
}
