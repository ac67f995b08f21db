//! The words of `loop server`, `/ollama` and `/llamafile`: one table for all of them.

mod files;
mod run;

use std::{io, path::PathBuf};

use loop_agents::{
    chat::GenaiError,
    servers::{OllamaAction, PullProgress, ServerCommandError, ServerError},
};
use loop_core::CancellationToken;

use crate::{
    closest,
    context::ExecutionContext,
    settings::{KeepError, Settings},
};

/// A request of a person to the servers on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLine {
    word: ServerWord,
    arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerWord {
    Ollama(OllamaAction),
    Start,
    Stop,
    Status,
    Logs,
    Files,
    Add,
    Drop,
    Alias,
    Use,
    Env,
}

/// A word with its arguments, and what it does.
type Word = (ServerWord, &'static str, &'static [&'static str], &'static str);

/// The words that are not Ollama's own.
const OWN: [Word; 10] = [
    (ServerWord::Start, "start", &["NAME"], "Start a server, until Ctrl+C unless it has `keep = true`"),
    (ServerWord::Stop, "stop", &["NAME"], "Stop a server that `loop` started"),
    (ServerWord::Status, "status", &[], "Show which servers answer"),
    (ServerWord::Logs, "logs", &["NAME"], "Show the last lines of a server's output"),
    (ServerWord::Files, "files", &[], "List the models in `~/Models`"),
    (ServerWord::Add, "add", &["FILE"], "Add a server for a llamafile or a `.gguf` to your settings"),
    (ServerWord::Drop, "drop", &["NAME"], "Stop a server, and remove it from your settings"),
    (ServerWord::Alias, "alias", &["NAME", "MODEL"], "Give a model another name in your settings"),
    (ServerWord::Use, "use", &["MODEL"], "Change the model of a session"),
    (ServerWord::Env, "env", &[], "Show the variables of Ollama, without secrets"),
];

/// The number of all words.
const COUNT: usize = OWN.len() + OllamaAction::WORDS.len();

/// All words.
const WORDS: [Word; COUNT] = {
    let mut words = [OWN[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        words[at] = if at < OWN.len() {
            OWN[at]
        } else {
            let word = OllamaAction::WORDS[at - OWN.len()];
            (ServerWord::Ollama(word.action), word.name, word.arguments, word.summary)
        };
        at += 1;
    }
    words
};

/// The reason why a line about servers has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerLineError {
    /// There is no such word.
    #[error("there is no `{word}` for servers{}; the words are {}", near(word), ServerLine::NAMES.join(", "))]
    Unknown {
        /// The word.
        word: String,
    },
    /// The arguments do not fit.
    #[error("`{usage}` is the way to write this")]
    Arguments {
        /// The word with its arguments.
        usage: String,
    },
    /// The settings have no such server.
    #[error("your settings have no `[servers.{0}]`: add it")]
    NoServer(String),
    /// There is no session whose model could change.
    #[error("only a session can change its model: name another one with `--model {0}`")]
    NoSession(String),
    /// This is not the file of a model.
    #[error(
        "`{0}` is not a model: name a `*.llamafile` or `*.gguf` in `~/Models`, or its path without spaces"
    )]
    NoModelFile(String),
    /// The name cannot be a server.
    #[error(transparent)]
    Command(#[from] ServerCommandError),
    /// The settings have something with this name.
    #[error("your settings already have `[{0}]`: remove it there, or choose another name")]
    Taken(String),
    /// The settings do not have the name.
    #[error("your settings have neither `[servers.{0}]` nor `[models.{0}]`")]
    NothingToDrop(String),
    /// Other models use the server.
    #[error("the server `{name}` belongs to {} too: remove that first", models.join(", "))]
    Used {
        /// The name of the server.
        name: String,
        /// The models.
        models: Vec<String>,
    },
    /// The settings cannot be changed.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A server did not start, or does not end.
    #[error("the server `{name}` cannot be used")]
    Managed {
        /// The name of the server.
        name: String,
        /// The reason.
        source: ServerError,
    },
    /// A server failed.
    #[error(transparent)]
    Server(#[from] GenaiError),
    /// A folder or a file cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Files {
        /// The folder or the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

fn near(word: &str) -> String {
    let near = closest(word, ServerLine::NAMES, |name| name);
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl ServerLine {
    /// The words with which a line can begin.
    pub const NAMES: [&'static str; COUNT] = {
        let mut names = [""; COUNT];
        let mut at = 0;
        while at < COUNT {
            names[at] = WORDS[at].1;
            at += 1;
        }
        names
    };

    /// Reads the words of a line.
    ///
    /// # Errors
    /// The first word is unknown, or its arguments do not fit.
    pub fn parse(words: &[&str]) -> Result<Self, ServerLineError> {
        let (first, arguments) =
            words.split_first().map_or(("status", words), |(first, rest)| (*first, rest));
        let Some((word, _, wanted, _)) = WORDS.into_iter().find(|(_, name, ..)| *name == first) else {
            return Err(ServerLineError::Unknown { word: first.to_owned() });
        };
        if wanted.len() != arguments.len() {
            let usage = format!("{first} {}", wanted.join(" ")).trim_end().to_owned();
            return Err(ServerLineError::Arguments { usage });
        }
        Ok(Self { word, arguments: arguments.iter().map(|&word| word.to_owned()).collect() })
    }

    /// Returns a line for each word, with its arguments and what it does.
    pub fn help() -> String {
        let line = |(_, name, arguments, summary): Word| {
            format!("  {:<19}{summary}", format!("{name} {}", arguments.join(" ")))
        };
        WORDS.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the model that a session should use from now on.
    pub fn wanted_model(&self) -> Option<&str> {
        (self.word == ServerWord::Use).then(|| self.arguments[0].as_str())
    }

    /// Returns whether the line changes the user's settings.
    pub const fn changes_settings(&self) -> bool {
        matches!(self.word, ServerWord::Add | ServerWord::Drop | ServerWord::Alias)
    }

    /// Does what the line asks for, and returns the lines for people. The Ollama is the one that the variables name.
    /// `on_progress` gets the progress of a download or an upload.
    ///
    /// # Errors
    /// [`ServerLineError`].
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request, and a server that is starting.
    pub async fn run(
        &self,
        settings: &Settings,
        cx: &ExecutionContext,
        on_progress: &mut (dyn FnMut(&PullProgress) + Send),
    ) -> Result<String, ServerLineError> {
        let arguments: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        match (self.word, &arguments[..]) {
            (ServerWord::Ollama(action), arguments) => {
                Ok(action.run(&run::ollama(cx), arguments, on_progress).await?)
            }
            (ServerWord::Start, [name]) => run::start(name, settings, cx).await,
            (ServerWord::Stop, [name]) => run::stop(name, settings, cx).await,
            (ServerWord::Logs, [name]) => run::logs(name, settings, cx),
            (ServerWord::Files, _) => files::list(cx),
            (ServerWord::Add, [file]) => files::add(file, settings, cx),
            (ServerWord::Drop, [name]) => files::drop_named(name, settings, cx).await,
            (ServerWord::Alias, [name, model]) => files::alias(name, model, settings),
            (ServerWord::Use, [model]) => Err(ServerLineError::NoSession((*model).to_owned())),
            (ServerWord::Env, _) => Ok(run::env(cx)),
            _ => Ok(run::status(settings, cx).await),
        }
    }

    /// Returns what is cancelled when the server ends that the line has started. It is `None` if no server ends with
    /// this program.
    ///
    /// # Errors
    /// [`ServerLineError::NoServer`].
    pub async fn started(
        &self,
        settings: &Settings,
        cx: &ExecutionContext,
    ) -> Result<Option<CancellationToken>, ServerLineError> {
        match (self.word, self.arguments.first()) {
            (ServerWord::Start, Some(name)) => Ok(run::server(name, settings, cx)?.own_end().await),
            _ => Ok(None),
        }
    }
}
