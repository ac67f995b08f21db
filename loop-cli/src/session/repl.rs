//! The loop that reads and carries out a person's lines.

use std::{pin::pin, process::ExitCode, time::Duration};

use tokio::{sync::mpsc::UnboundedReceiver, time::timeout};

use loop_core::{CancellationToken, with_causes};
use loop_session::{
    ApprovalQuestion, InputError, Session, UserInput,
    fires::{FireHistory, FireResult},
    is_loop,
    jobs::{DueJob, MissedJobAction, MissedJobs, SessionScheduler},
};

use super::{
    editor::{Editor, EditorEvent, EditorPrompt, WorkEnd, is_terminal_gone, terminal_gone},
    large_input::LargeInput,
    pending_question::{PendingQuestion, TypedMeanwhile, typed_meanwhile},
    terminal,
};
use crate::{
    clock, debug_log, exit,
    signals::{Signal, Signals, SuspendSignals, stop_here},
    view::{self, DIM, NoEchoGuard, WARN, paint},
};

/// Carries out typed lines until the person leaves or the terminal is gone.
///
/// Other events are handled between two lines. They ask the editor to [let go](Editor::release_terminal), do their
/// work, and then let the editor continue with the text typed so far.
pub(super) async fn run(
    session: &mut Session,
    editor: &mut Editor,
    signals: &mut Signals,
) -> anyhow::Result<ExitCode> {
    let mut scheduler = SessionScheduler::start(session.jobs());
    let mut missed_jobs = ask_about_missed_jobs(session);
    let mut large_input = LargeInput::default();
    while !session.is_over() {
        view::flush();
        editor.ask(EditorPrompt { is_unsafe: session.is_unsafe(), is_recorded: session.is_recording() });
        scheduler.set_free(true, session.has_model());
        session.rest().await;
        let next = next(editor, signals, &mut scheduler).await;
        scheduler.set_free(false, session.has_model());
        let signal = match next {
            Ok(SessionEvent::Typed(EditorEvent::Line(line))) => match large_input.checked(line, session) {
                Some(line) => handle_line(session, &line, &mut missed_jobs, editor, signals).await,
                None => None,
            },
            Ok(SessionEvent::Typed(EditorEvent::Interrupted)) => {
                session.say(&paint(DIM, "Ctrl+D leaves"));
                None
            }
            Ok(SessionEvent::Typed(EditorEvent::Paused { .. })) => None,
            Ok(SessionEvent::Typed(EditorEvent::End)) => break,
            Ok(SessionEvent::Typed(EditorEvent::Failed(why))) => {
                return Err(anyhow::anyhow!("cannot read the terminal: {why}"));
            }
            Ok(SessionEvent::Due(due)) => fire(session, &due, editor, signals).await,
            Err(signal) => Some(signal),
        };
        if let Some(signal) = signal {
            return Ok(ExitCode::from(exit::of_signal(signal)));
        }
    }
    Ok(ExitCode::from(exit::OK))
}

/// The next event between two lines.
enum SessionEvent {
    Typed(EditorEvent),
    /// A prompt is due; the editor has released the terminal.
    Due(DueJob),
}

/// Returns the next event, or the signal that ends the session.
async fn next(
    editor: &mut Editor,
    signals: &mut Signals,
    scheduler: &mut SessionScheduler,
) -> Result<SessionEvent, Signal> {
    let mut terminal_gone = pin!(terminal_gone());
    loop {
        let signal = tokio::select! {
            typed = editor.typed() => match typed {
                // The editor fails on a terminal that is gone, often before we notice.
                EditorEvent::End | EditorEvent::Failed(_) if is_terminal_gone() => Signal::Hangup,
                typed => return Ok(SessionEvent::Typed(typed)),
            },
            due = scheduler.due() => match editor.release_terminal().await {
                Some(EditorEvent::Paused { .. }) => return Ok(SessionEvent::Due(due)),
                // A line came first, or the terminal is gone.
                typed => {
                    scheduler.defer(due);
                    if let Some(typed) = typed {
                        return Ok(SessionEvent::Typed(typed));
                    }
                    continue;
                }
            },
            signal = signals.next() => signal,
            () = &mut terminal_gone => Signal::Hangup,
        };
        // This Ctrl+C was meant for a turn that has just ended.
        if signal != Signal::Interrupt {
            // Restore the terminal, if it still exists.
            if editor.release_terminal().await.is_some() {
                view::say("");
            }
            return Err(signal);
        }
    }
}

/// Shows the jobs missed while no session was open, and asks about the first one.
fn ask_about_missed_jobs(session: &Session) -> MissedJobs {
    let missed_jobs = session.jobs().missed_jobs(clock::now()).unwrap_or_else(|error| {
        session.warn(&format!("cannot read the missed jobs: {}", with_causes(&error)));
        MissedJobs::default()
    });
    ask(session, &missed_jobs);
    missed_jobs
}

fn ask(session: &Session, missed_jobs: &MissedJobs) {
    if let Some(question) = missed_jobs.question(session.jobs(), clock::now()) {
        session.say(&question);
    }
}

/// Handles a typed line: the answer to a question, or any other input.
async fn handle_line(
    session: &mut Session,
    line: &str,
    missed_jobs: &mut MissedJobs,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Option<Signal> {
    let line = match missed_jobs.answer(line, session.jobs()) {
        Ok(None) => line.to_owned(),
        Ok(Some(wanted)) => {
            ask(session, missed_jobs);
            match wanted {
                MissedJobAction::Line(line) => line,
                MissedJobAction::Elsewhere => {
                    session.say("it fires when `loop schedule run` works in this folder");
                    return None;
                }
                MissedJobAction::Gone => return None,
            }
        }
        Err(error) => {
            terminal::error(&error.into());
            return None;
        }
    };
    if let UserInput::Shell(command) = UserInput::of(&line) {
        return shown(own_command(session, command, signals).await);
    }
    // Loops run unattended, even though a person started them.
    let questions = (!is_loop(&line)).then(|| session.approvals().open());
    shown(perform(session, &line, questions, editor, signals).await)
}

/// Runs a command that the person typed, as that person. Ctrl+C reaches the command as a key. A signal ends the session.
async fn own_command(
    session: &mut Session,
    command: &str,
    signals: &mut Signals,
) -> Result<Result<(), InputError>, Signal> {
    view::flush();
    session.capture_before_turn(&format!("!{command}")).await;
    let mut running = pin!(session.own_command(command).run());
    let done = loop {
        tokio::select! {
            done = &mut running => break done,
            signal = signals.next() => if signal != Signal::Interrupt {
                session.abandon_own_command(command);
                return Err(signal);
            },
        }
    };
    Ok(done.and_then(|output| {
        if !output.ends_line {
            view::say("");
        }
        session.finish_own_command(command, &output)
    }))
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
    let fire = due.stored_fire().map(|fire| FireResult::begun(fire, clock::now()));
    let attached = session.set_attachments_aside();
    let done = perform(session, due.prompt(), None, editor, signals).await;
    session.return_attachments(attached);
    if let Some(fire) = fire {
        let error = match &done {
            Ok(done) => done.as_ref().err().map(|error| with_causes(error)),
            Err(_) => Some("the session ended".to_owned()),
        };
        let history = FireHistory::in_folder(session.jobs().project().store().folder());
        if let Err(error) = history.add(&fire.ended_in_session(error, clock::now())) {
            session.warn(&with_causes(&error));
        }
    }
    shown(done)
}

/// How long the current work may take to end when a signal ends the session. Only a slow disk needs this time.
const GRACE: Duration = Duration::from_secs(2);

/// Carries out a line while handling signals. Ctrl+C ends the line; other signals end the session, and are the error.
/// Exit words also end a loop. The person answers questions from tools meanwhile.
async fn perform(
    session: &mut Session,
    line: &str,
    mut questions: Option<UnboundedReceiver<ApprovalQuestion>>,
    editor: &mut Editor,
    signals: &mut Signals,
) -> Result<Result<(), InputError>, Signal> {
    let (stop, host) = (CancellationToken::new(), session.host().clone());
    // Otherwise Ctrl+C, and text typed ahead, would appear in the middle of the output.
    let _unechoed = NoEchoGuard::begin();
    // If Ctrl+Z cannot be heard, it stops this process at once, as it does by default.
    let mut suspensions = SuspendSignals::listen().unwrap_or_default();
    let mut acting = pin!(session.run_line(line, stop.clone()));
    let mut question = PendingQuestion::None;
    loop {
        tokio::select! {
            done = &mut acting => return Ok(done),
            signal = signals.next() => {
                stop.cancel();
                editor.withdraw_queue();
                if signal != Signal::Interrupt {
                    // Give the transcript time to record the end; work that takes longer is dropped, which ends it.
                    let _ = timeout(GRACE, &mut acting).await;
                    return Err(signal);
                }
            }
            () = suspensions.next() => {
                view::suspended(|| {
                    stop_here();
                });
                question = question.take().again(editor, &host);
            }
            typed = typed_meanwhile(editor, is_loop(line), &question), if !stop.is_cancelled() => {
                match typed {
                    TypedMeanwhile::Answer(typed) => {
                        if let PendingQuestion::Shown(shown, asked) = question.take() {
                            let again = shown.answered(typed.as_deref(), &host);
                            question = again.map_or(PendingQuestion::None, |again| PendingQuestion::Shown(again, asked));
                        }
                    }
                    TypedMeanwhile::LineEnded => {
                        if let PendingQuestion::Hidden(hidden) = question.take() {
                            question = PendingQuestion::show(hidden, editor, &host);
                        }
                    }
                    TypedMeanwhile::End(end) => {
                        stop.cancel();
                        if end == WorkEnd::Escaped {
                            editor.withdraw_queue();
                        }
                    }
                }
            }
            Some(next) = next_question(questions.as_mut()), if matches!(question, PendingQuestion::None) => {
                question = if editor.keep_typed() {
                    PendingQuestion::show(next, editor, &host)
                } else {
                    host.say(&paint(WARN, "A tool has a question. Send or delete your line to see it."));
                    PendingQuestion::Hidden(next)
                };
            }
        }
    }
}

/// Shows the error of a line, if there is one. Returns the signal that ended the session instead.
fn shown(done: Result<Result<(), InputError>, Signal>) -> Option<Signal> {
    match done {
        Ok(Ok(())) => {}
        Ok(Err(error @ InputError::Interrupted)) => view::say(&paint(DIM, error)),
        Ok(Err(error)) => {
            debug_log::error(&error);
            terminal::error(&error.into());
        }
        Err(signal) => return Some(signal),
    }
    None
}

/// Returns the next question of a tool; waits forever if tools cannot ask.
async fn next_question(
    questions: Option<&mut UnboundedReceiver<ApprovalQuestion>>,
) -> Option<ApprovalQuestion> {
    questions?.recv().await
}
