//! A server that is started when a model first needs it.

use std::{ffi::OsString, fmt, fs::File, path::PathBuf, time::Duration};

use loop_core::CancellationToken;
use tokio::{
    sync::{Mutex, MutexGuard},
    time::{Instant, sleep, timeout},
};

use super::{
    LocalServer, NotedServer, ServerCommand, ServerError, kept,
    local_server::{PAUSE, last_lines_of},
    note::{ServerFile, log},
    running::{EndedServer, OwnServer, RunningServer, ServerPlace},
};
use crate::{
    chat::{Endpoint, GenaiError, ModelErrorKind, Vendor},
    process::Supervisor,
};

/// The time that a server has to answer whether it is ready.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// The surroundings of the servers of one program.
#[derive(Debug, Clone, Default)]
pub struct ServerSurroundings {
    /// The variables that the servers see.
    pub variables: Vec<(OsString, OsString)>,
    /// Ends the servers if this program is killed.
    pub supervisor: Option<Supervisor>,
    /// The folder of the files that say where servers are. Without it, no other program finds a server of this one.
    pub folder: Option<PathBuf>,
}

/// A server of the user's settings. It starts at the first [`place`](Self::place), and ends with this value.
///
/// - A server that another program of the user has started is used, and not stopped.
/// - A server that a dead program left behind is adopted: it is used, and ends with this value.
/// - A server whose [command](ServerCommand::with_keep) keeps it stays until [`end`](Self::end).
///
/// ```
/// use loop_agents::servers::{ManagedServer, ServerCommand, ServerSurroundings};
///
/// let command = ServerCommand::new("llama-server -m ~/Models/qwen3.gguf")?;
/// let server = ManagedServer::new("qwen", command, ServerSurroundings::default());
/// assert_eq!(server.name(), "qwen");
/// # Ok::<(), loop_agents::servers::ServerCommandError>(())
/// ```
pub struct ManagedServer {
    name: String,
    command: ServerCommand,
    surroundings: ServerSurroundings,
    usual: Option<UsualPlace>,
    state: Mutex<State>,
}

/// Where the server may run already.
#[derive(Debug)]
struct UsualPlace {
    port: u16,
    /// The model that it has to have; `None` if any server there is the right one.
    model: Option<String>,
}

#[derive(Default)]
struct State {
    running: Option<RunningServer>,
    was_ready: bool,
}

impl State {
    async fn stop(&mut self) -> bool {
        let Some(own) = self.running.take().and_then(|running| running.own) else { return false };
        own.stop().await;
        true
    }
}

impl ManagedServer {
    /// Creates the server with this name, without starting it.
    pub fn new(name: impl Into<String>, command: ServerCommand, surroundings: ServerSurroundings) -> Self {
        Self { name: name.into(), command, surroundings, usual: None, state: Mutex::default() }
    }

    /// Sets the port at which the server may run already, and the model that it has to have then. A server there is used,
    /// and never stopped. Without a model, every server there that is healthy is the right one.
    #[must_use]
    pub fn usually_at(self, port: u16, model: Option<String>) -> Self {
        Self { usual: Some(UsualPlace { port, model }), ..self }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its command.
    pub const fn command(&self) -> &ServerCommand {
        &self.command
    }

    /// Returns where the server is, and starts it if it does not run. Concurrent calls wait for the same start.
    ///
    /// # Errors
    /// [`ServerError`]; then nothing of the server runs any more.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends a server that is starting.
    pub async fn place(&self) -> Result<ServerPlace, ServerError> {
        let mut state = self.state.lock().await;
        self.running(&mut state).await
    }

    /// Starts the server again after its connection at this place has failed. Concurrent calls about the same place
    /// start it once.
    ///
    /// # Errors
    /// As for [`place`](Self::place).
    ///
    /// # Panics
    /// As for [`place`](Self::place).
    ///
    /// # Cancel safety
    /// As for [`place`](Self::place).
    pub async fn restart(&self, failed: &ServerPlace) -> Result<ServerPlace, ServerError> {
        let mut state = self.state.lock().await;
        if state.running.as_ref().is_some_and(|running| running.place.port == failed.port) {
            state.stop().await;
        }
        self.running(&mut state).await
    }

    /// Returns where the server is, without starting it.
    pub async fn found(&self) -> Option<NotedServer> {
        let noted = self.file()?.read()?;
        self.answers(noted.port).await.then_some(noted)
    }

    /// Returns whether it was ready before.
    pub async fn was_ready(&self) -> bool {
        self.state.lock().await.was_ready
    }

    /// Ends the server if this program has started it, if it was kept, or if a dead program left it behind. Waits for its
    /// end. It starts again at the next [`place`](Self::place).
    ///
    /// # Errors
    /// [`ServerError::File`] and [`ServerError::Undying`].
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn end(&self) -> Result<EndedServer, ServerError> {
        if self.stop().await {
            return Ok(EndedServer::Ended);
        }
        let Some(file) = self.file() else { return Ok(EndedServer::None) };
        let Some(_lock) = file.lock().map_err(ServerError::File)? else { return Ok(EndedServer::InUse) };
        let Some(noted) = file.read() else { return Ok(EndedServer::None) };
        Ok(if self.end_noted(&file, noted).await? { EndedServer::Ended } else { EndedServer::None })
    }

    /// Ends the server if it ends with this value, and waits for its end. Returns whether there was one. It starts again
    /// at the next [`place`](Self::place).
    pub async fn stop(&self) -> bool {
        self.state.lock().await.stop().await
    }

    /// Returns what is cancelled when a server ends that this value has started, and that ends with it.
    pub async fn own_end(&self) -> Option<CancellationToken> {
        let state = self.state.lock().await;
        state
            .running
            .as_ref()
            .filter(|running| running.own.is_some())
            .map(|running| running.place.gone.clone())
    }

    /// Returns the last lines of the server's output; `None` if it never started, or has no folder for them.
    ///
    /// # Errors
    /// [`ServerError::File`].
    pub fn last_lines(&self) -> Result<Option<String>, ServerError> {
        let Some(file) = self.file() else { return Ok(None) };
        file.shorten_log().map_err(ServerError::File)?;
        let output = file.end_of_log().map_err(ServerError::File)?;
        Ok(output.map(|output| last_lines_of(&output)))
    }

    async fn running(&self, state: &mut MutexGuard<'_, State>) -> Result<ServerPlace, ServerError> {
        if let Some(running) = state.running.as_ref().filter(|running| !running.place.gone.is_cancelled()) {
            return Ok(running.place.clone());
        }
        state.running = None;
        let running = self.find_or_start().await?;
        state.was_ready = true;
        Ok(state.running.insert(running).place.clone())
    }

    async fn find_or_start(&self) -> Result<RunningServer, ServerError> {
        if let Some(UsualPlace { port, model }) = &self.usual
            && self.answers(*port).await
            && has_model(*port, model.as_deref()).await
        {
            return Ok(RunningServer::at(*port, CancellationToken::new(), None));
        }
        let Some(file) = self.file() else { return self.start(None).await };
        let deadline = Instant::now() + self.command.startup();
        loop {
            let lock = file.lock().map_err(ServerError::File)?;
            if let Some(noted) = file.read()
                && self.answers(noted.port).await
            {
                if noted.is_kept {
                    // A file that is too long does no harm to the server.
                    let _ = file.shorten_log();
                }
                let lock = lock.filter(|_| !noted.is_kept);
                let own = lock.map(|lock| OwnServer { local: None, noted: Some((file, lock, noted)) });
                return Ok(RunningServer::at(noted.port, CancellationToken::new(), own));
            }
            match lock {
                Some(lock) => {
                    if let Some(noted) = file.read() {
                        // It does not answer, and would keep its memory.
                        self.end_noted(&file, noted).await?;
                    }
                    return self.start(Some((file, lock))).await;
                }
                // Another program is starting the server right now.
                None if Instant::now() < deadline => sleep(PAUSE).await,
                None => {
                    let output = "(another program of yours starts it, and has its output)".to_owned();
                    return Err(ServerError::Silent { patience: self.command.startup(), output });
                }
            }
        }
    }

    async fn start(&self, file: Option<(ServerFile, File)>) -> Result<RunningServer, ServerError> {
        if let Some((file, _lock)) = file.as_ref().filter(|_| self.command.is_kept()) {
            let variables = &self.surroundings.variables;
            let noted = kept::start(&self.command, variables, file, |port| self.answers(port)).await?;
            return Ok(RunningServer::at(noted.port, CancellationToken::new(), None));
        }
        let command = |port| {
            let process = self.command.process(port, &self.surroundings.variables);
            match &self.surroundings.supervisor {
                Some(supervisor) => process.supervisor(supervisor.clone()),
                None => process,
            }
        };
        let is_ready = |port| self.answers(port);
        let listener = || {
            let logged =
                file.as_ref().map(|(file, _)| file.new_log()).transpose().map_err(ServerError::File)?;
            Ok(move |bytes: &[u8]| {
                // A full disk does not end the server.
                let _ = logged.as_ref().map(|logged| log(logged, bytes));
            })
        };
        let local = LocalServer::start_listening(command, is_ready, self.command.startup(), listener).await?;
        let (port, gone) = (local.port(), local.gone());
        let noted = match (file, local.process()) {
            (Some((file, lock)), Some(process)) => {
                let noted = NotedServer { port, process, is_kept: false };
                file.write(noted).map_err(ServerError::File)?;
                Some((file, lock, noted))
            }
            _ => None,
        };
        Ok(RunningServer::at(port, gone, Some(OwnServer { local: Some(local), noted })))
    }

    /// Ends a server of which a file says where it is, and then removes the file. Returns whether there was one.
    async fn end_noted(&self, file: &ServerFile, noted: NotedServer) -> Result<bool, ServerError> {
        let ended = noted.end().await;
        if ended == Some(false) || (ended.is_none() && self.answers(noted.port).await) {
            return Err(ServerError::Undying { process: noted.process });
        }
        file.remove().map_err(ServerError::File)?;
        Ok(ended.is_some())
    }

    fn file(&self) -> Option<ServerFile> {
        self.surroundings.folder.as_deref().map(|folder| ServerFile::new(folder, &self.name))
    }

    /// Returns whether the page of the server's health answers with status 200.
    async fn answers(&self, port: u16) -> bool {
        // The page need not be JSON.
        let server = Endpoint::new(Vendor::Ollama).base_url(format!("http://127.0.0.1:{port}"));
        match timeout(ANSWER_TIME, server.page(self.command.health(), None)).await {
            Ok(Ok(_)) => true,
            Ok(Err(GenaiError::Server(error))) => error.kind() == ModelErrorKind::Unreadable,
            _ => false,
        }
    }
}

/// Returns whether the server at this port has this model.
async fn has_model(port: u16, model: Option<&str>) -> bool {
    let Some(model) = model else { return true };
    let server = Endpoint::new(Vendor::OpenAi).base_url(format!("http://127.0.0.1:{port}"));
    let listed = timeout(ANSWER_TIME, server.listed("")).await;
    listed.is_ok_and(|listed| listed.is_ok_and(|models| models.iter().any(|listed| listed.is_called(model))))
}

impl fmt::Debug for ManagedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedServer")
            .field("name", &self.name)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}
