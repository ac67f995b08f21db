//! A server that is started when a model first needs it.

use std::{ffi::OsString, fmt, fs::File, path::PathBuf, time::Duration};

use loop_core::CancellationToken;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::{Instant, sleep, timeout},
};

use super::{LocalServer, NotedServer, ServerCommand, ServerError, local_server::PAUSE, note::ServerFile};
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

/// Where a server is now.
#[derive(Debug, Clone)]
pub struct ServerPlace {
    /// The port of 127.0.0.1.
    pub port: u16,
    /// Cancelled when a server that this program started has ended.
    pub gone: CancellationToken,
}

struct RunningServer {
    place: ServerPlace,
    own: Option<OwnServer>,
}

/// A server that ends with this value.
struct OwnServer {
    local: Option<LocalServer>,
    is_adopted: bool,
    /// The file and its lock, and what it says.
    noted: Option<(ServerFile, File, NotedServer)>,
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
            stop(&mut state).await;
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

    /// Ends a server that is or that a dead program left behind. Returns whether there was one.
    ///
    /// # Errors
    /// [`ServerError::File`].
    pub fn end_noted(&self) -> Result<bool, ServerError> {
        let Some(file) = self.file() else { return Ok(false) };
        // A server that a living program uses ends with that program.
        let Some(_lock) = file.lock().map_err(ServerError::File)? else { return Ok(false) };
        let Some(noted) = file.read() else { return Ok(false) };
        file.remove().map_err(ServerError::File)?;
        Ok(end_adopted(noted))
    }

    /// Ends the server if this program has started it, waits for its end, and returns whether there was one. It starts again at the next
    /// [`place`](Self::place).
    pub async fn stop(&self) -> bool {
        stop(&mut self.state.lock().await).await
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
                let own = lock.map(|lock| OwnServer::adopted(file, lock, noted));
                return Ok(RunningServer::at(noted.port, CancellationToken::new(), own));
            }
            match lock {
                Some(lock) => return self.start(Some((file, lock))).await,
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
        let command = |port| {
            let process = self.command.process(port, &self.surroundings.variables);
            match &self.surroundings.supervisor {
                Some(supervisor) => process.supervisor(supervisor.clone()),
                None => process,
            }
        };
        let is_ready = |port| self.answers(port);
        let local = LocalServer::start(command, is_ready, self.command.startup()).await?;
        let (port, gone) = (local.port(), local.gone());
        let noted = match (file, local.process()) {
            (Some((file, lock)), Some(process)) => {
                let noted = NotedServer { port, process };
                file.write(noted).map_err(ServerError::File)?;
                Some((file, lock, noted))
            }
            _ => None,
        };
        Ok(RunningServer::at(port, gone, Some(OwnServer { local: Some(local), is_adopted: false, noted })))
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

async fn stop(state: &mut MutexGuard<'_, State>) -> bool {
    let Some(mut own) = state.running.take().and_then(|running| running.own) else { return false };
    if let Some(local) = own.local.take() {
        local.stop().await;
    }
    true
}

impl RunningServer {
    const fn at(port: u16, gone: CancellationToken, own: Option<OwnServer>) -> Self {
        Self { place: ServerPlace { port, gone }, own }
    }
}

impl OwnServer {
    const fn adopted(file: ServerFile, lock: File, noted: NotedServer) -> Self {
        Self { local: None, is_adopted: true, noted: Some((file, lock, noted)) }
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let Some((file, _, noted)) = &self.noted else { return };
        // The next program finds no server there, and replaces the file.
        let _ = file.remove();
        if self.is_adopted {
            end_adopted(*noted);
        }
    }
}

/// Ends a server that a dead program left behind. The variable shows that the number still belongs to it.
fn end_adopted(noted: NotedServer) -> bool {
    let variables = std::fs::read(format!("/proc/{}/environ", noted.process)).unwrap_or_default();
    let mark = format!("OLLAMA_HOST=127.0.0.1:{}", noted.port);
    let is_it = variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
    let process = i32::try_from(noted.process).ok().and_then(Pid::from_raw);
    // It may have ended in this moment.
    process.filter(|_| is_it).is_some_and(|process| kill_process_group(process, Signal::TERM).is_ok())
}

impl fmt::Debug for ManagedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedServer")
            .field("name", &self.name)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}
