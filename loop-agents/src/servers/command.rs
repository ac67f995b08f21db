//! The command line of a server, as its owner writes it.

use std::{ffi::OsString, fmt, path::Path, time::Duration};

use crate::process::Process;

/// The place of the port in a command line.
const PORT: &str = "{port}";

/// How many layers of a llamafile run on the graphics processor, unless the settings say otherwise: all of them.
const LLAMAFILE_LAYERS: u32 = 99;

/// The end of the name of a llamafile.
pub(super) const LLAMAFILE: &str = ".llamafile";
/// The end of the name of a file with weights, which `llama-server` serves.
pub(super) const GGUF: &str = ".gguf";

/// The kind of a server, which its program shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKind {
    /// `ollama serve`.
    Ollama,
    /// A file that is a model and its server.
    Llamafile,
    /// `llama-server`, or a file with weights for it.
    LlamaCpp,
    /// Any other program.
    Other,
}

impl ServerKind {
    /// Returns the path at which the server reports that it is ready.
    const fn health(self) -> &'static str {
        match self {
            Self::Ollama => "/api/tags",
            _ => "/health",
        }
    }

    /// Returns the port at which such a server usually listens, if it has one.
    pub const fn usual_port(self) -> Option<u16> {
        match self {
            Self::Ollama => Some(11434),
            Self::Llamafile => Some(8080),
            Self::LlamaCpp => Some(8081),
            Self::Other => None,
        }
    }
}

/// The number of layers that run on the graphics processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GpuLayers {
    /// The server decides.
    Auto,
    /// This number.
    Count(u32),
}

/// A server that can be started: its command and its settings.
///
/// # Default
/// The health page of the [kind](ServerKind) of the server, 120 seconds to start, 99 layers on the graphics processor for
/// a llamafile and the server's own choice for others.
///
/// ```
/// use loop_agents::servers::{ServerCommand, ServerKind};
///
/// let server = ServerCommand::new("llama-server -m ~/Models/qwen3.gguf")?;
/// assert_eq!(server.kind(), ServerKind::LlamaCpp);
/// assert!(ServerCommand::new("my-server --port 80").is_err());
/// # Ok::<(), loop_agents::servers::ServerCommandError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    line: String,
    kind: ServerKind,
    health: Option<String>,
    startup: Duration,
    gpu_layers: Option<GpuLayers>,
    is_kept: bool,
}

/// The error for a command line that cannot start a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerCommandError {
    /// The line is empty.
    #[error("the command of the server is empty")]
    Empty,
    /// The program is unknown, and the line does not pass the port to it.
    #[error("the command has no `{{port}}`, where `loop` writes the port at which the server has to listen")]
    NoPort,
}

impl ServerCommand {
    /// Reads a command line. `{port}` in it becomes the number of a free port of 127.0.0.1. `ollama serve`, a
    /// `llama-server`, a llamafile and a file with weights (`.gguf`) need no `{port}`. The name of a file without a
    /// folder means one in `~/Models`.
    ///
    /// # Errors
    /// [`ServerCommandError`].
    pub fn new(line: impl Into<String>) -> Result<Self, ServerCommandError> {
        let line = line.into().trim().to_owned();
        let program = line.split_whitespace().next().ok_or(ServerCommandError::Empty)?;
        let kind = match Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default() {
            "ollama" => ServerKind::Ollama,
            "llama-server" => ServerKind::LlamaCpp,
            name if name.ends_with(GGUF) => ServerKind::LlamaCpp,
            name if name.ends_with(LLAMAFILE) => ServerKind::Llamafile,
            _ if line.contains(PORT) => ServerKind::Other,
            _ => return Err(ServerCommandError::NoPort),
        };
        let startup = Duration::from_secs(120);
        Ok(Self { line, kind, health: None, startup, gpu_layers: None, is_kept: false })
    }

    /// Sets the path of the page that answers with status 200 once the server is ready.
    #[must_use]
    pub fn with_health(self, path: Option<String>) -> Self {
        Self { health: path, ..self }
    }

    /// Sets the time that the server has to become ready.
    #[must_use]
    pub fn with_startup(self, startup: Duration) -> Self {
        Self { startup, ..self }
    }

    /// Sets how many layers run on the graphics processor. Only llamafiles and `llama-server` use this.
    #[must_use]
    pub fn with_gpu_layers(self, layers: Option<GpuLayers>) -> Self {
        Self { gpu_layers: layers, ..self }
    }

    /// Sets whether the server stays when the program that started it ends.
    #[must_use]
    pub fn with_keep(self, is_kept: bool) -> Self {
        Self { is_kept, ..self }
    }

    /// Returns whether the server stays when the program that started it ends.
    pub const fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Returns the kind of the server.
    pub const fn kind(&self) -> ServerKind {
        self.kind
    }

    /// Returns the path of the page that shows whether the server is ready.
    pub fn health(&self) -> &str {
        self.health.as_deref().unwrap_or(self.kind.health())
    }

    /// Returns the time that the server has to become ready.
    pub const fn startup(&self) -> Duration {
        self.startup
    }

    /// Returns the command line for this port.
    pub fn line(&self, port: u16) -> String {
        let line = self.line.replace(PORT, &port.to_string());
        let (program, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let file = if program.contains('/') { program.to_owned() } else { format!("~/Models/{program}") };
        let start = match self.kind {
            ServerKind::Ollama | ServerKind::Other => return line,
            // The format is not an ordinary executable everywhere.
            ServerKind::Llamafile => format!("/bin/sh {file} --server --nobrowser"),
            ServerKind::LlamaCpp if program.ends_with(GGUF) => format!("llama-server -m {file}"),
            ServerKind::LlamaCpp => program.to_owned(),
        };
        let usual = (self.kind == ServerKind::Llamafile).then_some(GpuLayers::Count(LLAMAFILE_LAYERS));
        let layers = match self.gpu_layers.or(usual) {
            Some(GpuLayers::Count(layers)) => format!(" -ngl {layers}"),
            Some(GpuLayers::Auto) | None => String::new(),
        };
        let place = if self.line.contains(PORT) { String::new() } else { format!(" --port {port}") };
        format!("{start} --host 127.0.0.1{place}{layers} {rest}").trim_end().to_owned()
    }

    /// Returns the process for this port, which sees these variables.
    pub(super) fn process(&self, port: u16, variables: &[(OsString, OsString)]) -> Process {
        Process::shell(self.line(port)).also_env(variables_at(port, variables))
    }
}

/// Returns the variables of a server at this port. `OLLAMA_HOST` names the place to every server, and marks its process.
pub(super) fn variables_at(
    port: u16,
    variables: &[(OsString, OsString)],
) -> impl Iterator<Item = (OsString, OsString)> {
    let place = (OsString::from("OLLAMA_HOST"), format!("127.0.0.1:{port}").into());
    variables.iter().cloned().chain([place])
}

impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_gets_its_port_in_its_own_way() {
        let auto = Some(GpuLayers::Auto);
        for (line, layers, started) in [
            ("ollama serve", None, "ollama serve"),
            ("serve -p {port} x", Some(GpuLayers::Count(3)), "serve -p 80 x"),
            (
                "q.llamafile -c 4096",
                None,
                "/bin/sh ~/Models/q.llamafile --server --nobrowser --host 127.0.0.1 --port 80 -ngl 99 -c 4096",
            ),
            (
                "/m/q.llamafile",
                auto,
                "/bin/sh /m/q.llamafile --server --nobrowser --host 127.0.0.1 --port 80",
            ),
            ("q.gguf", None, "llama-server -m ~/Models/q.gguf --host 127.0.0.1 --port 80"),
            (
                "llama-server -m x",
                Some(GpuLayers::Count(0)),
                "llama-server --host 127.0.0.1 --port 80 -ngl 0 -m x",
            ),
        ] {
            let command = ServerCommand::new(line).expect("a command").with_gpu_layers(layers);
            assert_eq!(command.line(80), started);
        }
    }
}
