//! `loop chat` at a terminal: a person, an editor and a screen around a [`Session`].
//!
//! Everything that is done here can be ended by Ctrl+C, and nothing that a loop repeats has a way to ask.
//!
//! | part | file |
//! | --- | --- |
//! | the lines that a person types, and the jobs between them | `repl.rs`, `editor/` |
//! | the screen | `screen/`, `terminal.rs` |

mod editor;
mod repl;
mod screen;
mod terminal;

use std::{fs, io, path::PathBuf, process::ExitCode};

use loop_manifest::{ExecutionContext, model::Conversation, settings::Settings};
use loop_session::{InputError, OpenError, Session};
use loop_telemetry::StateDir;

use self::editor::{Editor, Words};
use crate::{
    command::{Failure, OrFail},
    signals::Signals,
};

/// The file in the state directory that remembers what was typed.
const INPUTS: &str = "inputs";

/// Runs a session to its end, at the terminal that this process has; `resumed` names a session to go on with, as for
/// `/session continue`.
///
/// # Errors
/// The model that was named cannot be asked, the folder cannot be worked in, the session cannot be gone on with, or the
/// terminal is lost.
pub(crate) async fn run(
    conversation: Conversation,
    settings: Settings,
    place: ExecutionContext,
    resumed: Option<&str>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("signals cannot be listened for")?;
    let inputs = inputs(&place);
    let dir = place.folder().to_owned();
    let mut session = Session::open(conversation, settings, place, terminal::host())?;
    session.start(resumed).await?;
    let commands = session.commands().clone();
    let words = Words { dir, models: session.named_models(), commands };
    let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let mut editor = Editor::open(words, inputs, coloured);
    let done = repl::run(&mut session, &mut editor, &mut signals).await;
    session.end();
    done.map_err(Failure::Internal)
}

/// Returns the file that remembers what was typed.
fn inputs(place: &ExecutionContext) -> Option<PathBuf> {
    let state = StateDir::from_env_with(|name| place.variable(name)).ok()?;
    fs::create_dir_all(state.path()).ok()?;
    Some(state.path().join(INPUTS))
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Model(error) => Self::Model(error),
            error => Self::Setup(error.into()),
        }
    }
}

impl From<InputError> for Failure {
    /// A session that cannot be gone on with was named on the command line.
    fn from(error: InputError) -> Self {
        Self::Usage(error.into())
    }
}
