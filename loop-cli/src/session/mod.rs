//! `loop chat` at a terminal: a person, an editor and a screen around a [`Session`].
//!
//! Ctrl+C can end everything here, and nothing that a loop repeats can ask a question.
//!
//! | part | file |
//! | --- | --- |
//! | the lines that a person types, and the jobs between them | `repl.rs`, `editor/`, `large_input.rs` |
//! | the screen | `screen/`, `terminal.rs` |

mod editor;
mod large_input;
mod model_menu;
mod pending_question;
mod repl;
mod screen;
mod terminal;

use std::{fs, io, path::PathBuf, pin::pin, process::ExitCode};

use loop_core::CancellationToken;
use loop_manifest::{ExecutionContext, model::ConversationOptions, settings::Settings};
use loop_session::{InputError, OpenError, Session, SessionHost, SessionStart, StartDialogue, StartModel};
use loop_telemetry::StateDir;

use self::{
    editor::{CompletionWords, Editor},
    screen::TypedLines,
};
use crate::{
    command::{Failure, OrFail},
    exit,
    signals::Signals,
};

/// The file in the state directory that remembers typed input.
const INPUTS: &str = "inputs";

/// How a session begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionOptions<'a> {
    /// The session to continue, as for `/session continue`.
    pub(crate) resumed: Option<&'a str>,
    /// False if nothing of it is stored.
    pub(crate) is_recorded: bool,
    /// Whether tool calls appear as JSON.
    pub(crate) is_verbose: bool,
}

/// Returns the host that shows texts about sessions outside of one.
pub(crate) fn listing_host() -> SessionHost {
    terminal::host(TypedLines::default(), false, false)
}

/// Runs a session to its end, at the terminal of this process.
///
/// # Errors
/// The named model or the folder is unusable, the session cannot be resumed, or the terminal is lost.
pub(crate) async fn run(
    conversation: ConversationOptions,
    settings: Settings,
    cx: ExecutionContext,
    options: SessionOptions<'_>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
    let inputs = inputs(&cx);
    let dir = cx.folder().to_owned();
    let typed = TypedLines::default();
    let notifies = settings.user.tables.terminal.notify.unwrap_or(true);
    let host = terminal::host(typed.clone(), options.is_verbose, notifies);
    let SessionStart { model, execution, server } = match options.resumed {
        // The session that continues names its own model.
        Some(_) => SessionStart { model: StartModel::Choose, execution: cx, server: None },
        None => {
            let dialogue = StartDialogue::begin(&conversation, settings.clone(), cx)?;
            match model_menu::choose(dialogue, &host, &mut signals).await? {
                Ok(start) => start,
                Err(signal) => return Ok(ExitCode::from(exit::of_signal(signal))),
            }
        }
    };
    let mut session =
        Session::open_with(model, conversation, settings, execution, host)?.recording(options.is_recorded);
    session.start(options.resumed).await?;
    let commands = session.commands().clone();
    let words = CompletionWords { dir, models: session.named_models(), commands };
    let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let mut editor = Editor::open(words, inputs, coloured, typed);
    let done = repl::run(&mut session, &mut editor, &mut signals).await;
    session.end();
    if matches!(done, Ok(code) if code == ExitCode::SUCCESS) {
        let stop = CancellationToken::new();
        let mut proposing = pin!(session.propose_memories(&stop));
        tokio::select! {
            () = &mut proposing => {}
            _ = signals.next() => {
                stop.cancel();
                proposing.await;
            }
        }
    }
    if let Some(server) = server {
        server.stop().await;
    }
    done.map_err(Failure::Internal)
}

/// Returns the file that remembers typed input.
fn inputs(cx: &ExecutionContext) -> Option<PathBuf> {
    let state = StateDir::from_env_with(|name| cx.variable(name)).ok()?;
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
    /// Converts the error about a session, named on the command line, that cannot be resumed.
    fn from(error: InputError) -> Self {
        Self::Usage(error.into())
    }
}
