//! `loop chat` at a terminal: a conversation, and what a person does around it.
//!
//! People who sit in a session for a day lose it in three ways: it hangs in something that nobody can end, it does at
//! night what somebody should have been asked about, and what was said is gone. So what is done here can all be ended by
//! Ctrl+C; nothing that a loop repeats has a way to ask, and a person's own turn asks about one thing (`approval.rs`); and all that is said is written down as it is said.
//!
//! | what | where |
//! | --- | --- |
//! | a line is a prompt, a command, or nothing | `loop_session::Input` |
//! | it is done | `act.rs`, `turn.rs`, `shell.rs`, `command/` |
//! | it is written down, and gone on with | `loop_session::SessionLog`, `changes.rs`, `resume.rs` |
//! | who types it | `repl.rs`, `editor/` |
//! | what is seen | `screen/` |

mod act;
mod approval;
mod changes;
mod command;
mod editor;
mod jobs;
mod models;
mod no_model;
mod reading;
mod repl;
mod resume;
mod screen;
mod shell;
mod state;
mod summary;
mod system;
mod tools;
mod turn;
mod writing;

#[cfg(test)]
pub(crate) mod cases;

use std::{fs, io, path::PathBuf, process::ExitCode};

use loop_telemetry::StateDir;

use self::editor::{Editor, Words};
pub(crate) use self::state::{Interrupted, Session};
use crate::{
    command::{Failure, OrFail},
    signals::Signals,
    view::{self, DIM, paint},
};
use loop_manifest::{
    ExecutionContext,
    model::{Conversation, Model},
    settings::Settings,
};

/// The file in the state directory that remembers what was typed.
const INPUTS: &str = "inputs";

/// A session that is about to begin.
///
/// # Errors
/// A model that was named and is none, a folder that cannot be worked in, no place for the audit.
pub(crate) fn prepare(
    conversation: Conversation,
    settings: Settings,
    place: ExecutionContext,
) -> Result<Session, Failure> {
    let (model, no_model) = match Model::choose(conversation.model.as_deref(), &settings, place.variables()) {
        Ok(model) => (Some(model), None),
        // All but the model is there, and the session that is gone on with may have one.
        Err(why) if conversation.model.is_none() => (None, Some(why.into())),
        Err(why) => return Err(why.into()),
    };
    let mut session = Session::new(model, conversation, settings, place).map_err(Failure::Setup)?;
    session.no_model = no_model;
    Ok(session)
}

/// Runs it to its end, at the terminal that this process has; `resumed` says which session to go on with, as for
/// `/session continue`.
///
/// # Errors
/// A session that cannot be gone on with, a terminal that is lost, and signals that cannot be listened for.
pub(crate) async fn run(session: &mut Session, resumed: Option<&str>) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("signals cannot be listened for")?;
    session.renew_system().await;
    if let Some(wanted) = resumed {
        session.go_on_with(wanted).map_err(Failure::Usage)?;
        if session.tools.are_asked {
            session.allow_tools(true);
        }
    }
    if let Some(why) = session.no_model.take().filter(|_| session.model.is_none()) {
        view::warning(&format!("{why:#}"));
    }
    session.say(&session.greeting());
    let words = Words { dir: session.place.folder().to_owned(), models: session.named_models() };
    let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let mut editor = Editor::open(words, session.inputs(), coloured);
    let done = repl::run(session, &mut editor, &mut signals).await;
    session.log.end();
    done.map_err(Failure::Internal)
}

impl Session {
    fn greeting(&self) -> String {
        let tools = if self.tools.are_on { "with tools" } else { "without tools" };
        let about = format!("{}, {tools}, in {} · /help", self.model_name(), self.place.folder().display());
        paint(DIM, about)
    }

    /// The file that remembers what was typed.
    fn inputs(&self) -> Option<PathBuf> {
        let state = StateDir::from_env_with(|name| self.place.variable(name)).ok()?;
        fs::create_dir_all(state.path()).ok()?;
        Some(state.path().join(INPUTS))
    }
}
