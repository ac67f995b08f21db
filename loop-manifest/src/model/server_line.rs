//! The words of `loop server`, `/ollama` and `/llamafile`: one table for all of them.

use std::{io, path::PathBuf};

use loop_agents::{
    chat::{Endpoint, GenaiError, Vendor},
    servers::{ManagedServer, OllamaAction, PullProgress, ServerError, model_files},
};
use loop_guardrails::policy::environment::looks_secret;

use super::vendor::{VendorAccess, value};
use crate::{closest, context::ExecutionContext, settings::Settings};

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
    Files,
    Env,
}

/// The words that are not Ollama's own, with their arguments and what they do.
const WORDS: [(ServerWord, &str, &[&str], &str); 5] = [
    (ServerWord::Start, "start", &["NAME"], "Start a server of your settings"),
    (ServerWord::Stop, "stop", &["NAME"], "Stop a server that `loop` started"),
    (ServerWord::Status, "status", &[], "Show which servers answer"),
    (ServerWord::Files, "files", &[], "List the models in `~/Models`"),
    (ServerWord::Env, "env", &[], "Show the variables of Ollama, without secrets"),
];

/// The reason why a line about servers has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerLineError {
    /// There is no such word.
    #[error("there is no `{word}` for servers{}; the words are {}", near(word), names().join(", "))]
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
    /// The server would end with the command.
    #[error("`{0}` would end with this command: start it in a session with `/ollama start {0}`")]
    NotKept(String),
    /// A server did not start.
    #[error("the server `{name}` did not start")]
    Start {
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

fn names() -> Vec<&'static str> {
    let own = WORDS.into_iter().map(|(_, name, ..)| name);
    OllamaAction::WORDS.into_iter().map(|word| word.name).chain(own).collect()
}

fn near(word: &str) -> String {
    closest(word, names(), |name| name).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl ServerLine {
    /// Reads the words of a line.
    ///
    /// # Errors
    /// The first word is unknown, or its arguments do not fit.
    pub fn parse(words: &[&str]) -> Result<Self, ServerLineError> {
        let (first, arguments) =
            words.split_first().map_or(("status", words), |(first, rest)| (*first, rest));
        let ollama = OllamaAction::WORDS.into_iter().find(|word| word.name == first);
        let own = || WORDS.into_iter().find(|(_, name, ..)| *name == first);
        let found = ollama
            .map(|word| (ServerWord::Ollama(word.action), word.arguments))
            .or_else(|| own().map(|(word, _, arguments, _)| (word, arguments)));
        let Some((word, wanted)) = found else {
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
        let ollama = OllamaAction::WORDS.into_iter().map(|word| (word.name, word.arguments, word.summary));
        let own = WORDS.into_iter().map(|(_, name, arguments, summary)| (name, arguments, summary));
        let line = |(name, arguments, summary): (&str, &[&str], &str)| {
            format!("  {:<18}{summary}", format!("{name} {}", arguments.join(" ")))
        };
        own.chain(ollama).map(line).collect::<Vec<_>>().join("\n")
    }

    /// Does what the line asks for, and returns the lines for people. `lives_on` says whether a server that starts now
    /// can live as long as the caller. The Ollama is the one that the variables name.
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
        lives_on: bool,
        on_progress: &mut (dyn FnMut(&PullProgress) + Send),
    ) -> Result<String, ServerLineError> {
        let arguments: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        match (self.word, &arguments[..]) {
            (ServerWord::Ollama(action), arguments) => {
                Ok(action.run(&ollama(cx), arguments, on_progress).await?)
            }
            (ServerWord::Start, [name]) => start(name, settings, cx, lives_on).await,
            (ServerWord::Stop, [name]) => stop(name, settings, cx).await,
            (ServerWord::Files, _) => files(cx),
            (ServerWord::Env, _) => Ok(env(cx)),
            _ => Ok(status(settings, cx).await),
        }
    }
}

/// Returns the user's Ollama.
fn ollama(cx: &ExecutionContext) -> Endpoint {
    VendorAccess::of(Vendor::Ollama, |name| value(cx.variables(), name)).endpoint(Vendor::Ollama)
}

fn server(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<std::sync::Arc<ManagedServer>, ServerLineError> {
    let command = settings.user.tables.servers.get(name);
    let command = command.ok_or_else(|| ServerLineError::NoServer(name.to_owned()))?;
    Ok(cx.server(name, command, |server| server))
}

async fn start(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
    lives_on: bool,
) -> Result<String, ServerLineError> {
    let server = server(name, settings, cx)?;
    if !lives_on {
        return Err(ServerLineError::NotKept(name.to_owned()));
    }
    let failed = |source| ServerLineError::Start { name: name.to_owned(), source };
    let place = server.place().await.map_err(failed)?;
    Ok(format!("`{name}` answers at 127.0.0.1:{}", place.port))
}

async fn stop(name: &str, settings: &Settings, cx: &ExecutionContext) -> Result<String, ServerLineError> {
    let server = server(name, settings, cx)?;
    let failed = |source| ServerLineError::Start { name: name.to_owned(), source };
    let was_own = server.stop().await;
    let was_left = server.end_noted().map_err(failed)?;
    Ok(match was_own || was_left {
        true => format!("`{name}` is stopped"),
        false => format!("`{name}` was not started by `loop`, or ends with the run that uses it"),
    })
}

async fn status(settings: &Settings, cx: &ExecutionContext) -> String {
    let mut lines = Vec::new();
    for (name, command) in &settings.user.tables.servers {
        let found = cx.server(name, command, |server| server).found().await;
        let state = found.map_or_else(
            || "does not run".to_owned(),
            |noted| format!("answers at 127.0.0.1:{}", noted.port),
        );
        lines.push(format!("{name}  {state}  ({command})"));
    }
    let ollama = ollama(cx);
    let state = match tokio::time::timeout(super::blocking::PATIENCE, ollama.models()).await {
        Ok(Ok(_)) => "answers at",
        _ => "does not answer at",
    };
    lines.push(format!("Ollama  {state} {}", ollama.shown_address()));
    lines.join("\n")
}

fn files(cx: &ExecutionContext) -> Result<String, ServerLineError> {
    let path = PathBuf::from(cx.variable("HOME").unwrap_or_default()).join("Models");
    let files = model_files(&path).map_err(|source| ServerLineError::Files { path: path.clone(), source })?;
    let line = |file: &loop_agents::servers::ModelFile| {
        format!("{}  {} MB  ({})", file.name, file.bytes / 1_000_000, file.file)
    };
    Ok(match files.is_empty() {
        true => format!("`{}` has no `*.llamafile` and no `*.gguf`", path.display()),
        false => files.iter().map(line).collect::<Vec<_>>().join("\n"),
    })
}

fn env(cx: &ExecutionContext) -> String {
    let redactor = cx.redactor();
    let of_ollama = cx.variables().iter().filter(|(name, _)| name.to_string_lossy().starts_with("OLLAMA_"));
    let lines: Vec<_> = of_ollama
        .map(|(name, value)| match looks_secret(name, value) {
            true => format!("{}=(hidden)", name.to_string_lossy()),
            false => format!("{}={}", name.to_string_lossy(), redactor.redact(&value.to_string_lossy())),
        })
        .collect();
    if lines.is_empty() { "no variable begins with OLLAMA_".to_owned() } else { lines.join("\n") }
}
