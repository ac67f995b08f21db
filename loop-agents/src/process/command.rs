//! A command and its settings: environment, folder, input, limits.

use std::{
    ffi::{CString, OsString},
    fs, io,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustix::io::Errno;
#[cfg(not(feature = "sandbox"))]
use rustix::process::Pid;

use super::{
    Environment, Job, ProcessError, RUN_VARIABLE, Supervisor,
    leftovers::Linger,
    limit::{ProcessLimits, limit_memory},
    program::{Image, Program, path_outside},
    session::ProcessSession,
    stdio::{self, ParentPipes},
    supervision::process_tree,
    system::Spawn,
};
use crate::output::Capture;

/// The default time that a command has to end after TERM: five seconds.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// A command line for `/bin/sh -c`, or a program and its arguments, with all settings of the command.
///
/// # Default
/// No environment, the current directory, an empty input, [`Capture::DEFAULT_LIMIT`] bytes of head and tail kept of
/// each of the two outputs, [`DEFAULT_GRACE`], no limits, and no supervisor.
///
/// ```
/// use std::future::pending;
/// use loop_agents::process::Process;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let finished = Process::shell("tr a-z A-Z").input("hello").run(pending(), |_, _| {}).await?;
/// assert!(finished.exit.success());
/// assert_eq!(finished.stdout.to_bytes(), b"HELLO");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Process {
    program: Program,
    always_shell: bool,
    dir: Option<PathBuf>,
    pub(crate) env: Environment,
    input: Vec<u8>,
    merged: bool,
    pub(super) capture_limit: usize,
    pub(super) grace: Duration,
    pub(super) limits: ProcessLimits,
    pub(super) job: Option<Job>,
    pub(super) supervisor: Option<Supervisor>,
    pub(super) linger: Option<Linger>,
    /// Shared, since a command can be cloned and a descriptor cannot.
    inherited: Arc<Vec<OwnedFd>>,
    #[cfg(feature = "sandbox")]
    pub(super) sandbox: Option<super::sandbox::PreparedSandbox>,
}

impl Process {
    /// Creates a command from a shell command line, as you would type it.
    ///
    /// If the line is only a program on the `PATH` that the command [sees](Self::env) and its arguments, as in
    /// `cargo test` or `agent -p 'a b'`, the program starts without a shell. [`always_shell`](Self::always_shell) turns
    /// this off.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::of(Program::Shell(line.into()))
    }

    /// Creates a command from a program and its arguments. No shell interprets them, so no character has a special
    /// meaning.
    ///
    /// A name is looked up in the absolute folders of the `PATH` that the command [sees](Self::env), or in the system's
    /// usual folders if the command sees no `PATH`. A program with a `/` in it is relative to the working directory.
    ///
    /// ```
    /// use std::future::pending;
    /// use loop_agents::process::Process;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let finished = Process::program("echo", ["$HOME;", "a  b"]).run(pending(), |_, _| {}).await?;
    /// assert_eq!(finished.stdout.to_bytes(), b"$HOME; a  b\n");
    /// # Ok(()) }
    /// ```
    pub fn program<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::of(Program::Words(program.into(), arguments.into_iter().map(Into::into).collect()))
    }

    fn of(program: Program) -> Self {
        Self {
            program,
            always_shell: false,
            dir: None,
            env: Environment::new(),
            input: Vec::new(),
            merged: false,
            capture_limit: Capture::DEFAULT_LIMIT,
            grace: DEFAULT_GRACE,
            limits: ProcessLimits::default(),
            job: None,
            supervisor: None,
            linger: None,
            inherited: Arc::default(),
            #[cfg(feature = "sandbox")]
            sandbox: None,
        }
    }

    /// Sets whether a shell reads every command line, also a line that needs none. The default is false.
    #[must_use]
    pub fn always_shell(mut self, always: bool) -> Self {
        self.always_shell = always;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Sets all variables that the command sees.
    #[must_use]
    pub fn env(mut self, env: Environment) -> Self {
        self.env = env;
        self
    }

    /// Adds variables to those that are already set.
    #[must_use]
    pub fn also_env<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.env = self.env.inherit(vars);
        self
    }

    /// Removes the variables whose names begin with `beginning`.
    pub(crate) fn without_env(mut self, beginning: &str) -> Self {
        self.env = self.env.without_beginning(beginning);
        self
    }

    /// Passes these descriptors to the command under their current numbers, which are 3 or more. Only Linux supports
    /// this.
    pub(crate) fn inheriting(mut self, descriptors: Vec<OwnedFd>) -> Self {
        self.inherited = Arc::new(descriptors);
        self
    }

    /// Sets the command's input. It can have any size, and the command need not read it.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Replaces the command line and keeps all settings.
    #[must_use]
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.program = Program::Shell(line.into());
        self
    }

    /// Replaces the command with a [program](Self::program) and its arguments, and keeps all settings.
    #[must_use]
    pub fn words<A: Into<String>>(
        mut self,
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.program = Program::Words(program.into(), arguments.into_iter().map(Into::into).collect());
        self
    }

    /// Looks for the program outside of this folder. Otherwise anyone who may write there could choose the program.
    pub(crate) fn found_outside(self, folder: &Path) -> Self {
        match self.env.get("PATH").map(|path| path_outside(path, folder)) {
            Some(path) => self.also_env([("PATH", path)]),
            None => self,
        }
    }

    /// Sends both outputs through one pipe, which preserves their order.
    /// [`ProcessOutput::stdout`](super::ProcessOutput::stdout) then has both.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.merged = true;
        self
    }

    /// Sets how many bytes to keep of each output's head, and how many of its tail.
    #[must_use]
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.capture_limit = bytes;
        self
    }

    /// Sets how long the command has to end after TERM, before KILL.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how long the command may run. Time during which it was [stopped](Job) does not count.
    #[must_use]
    pub fn max_time(mut self, limit: Duration) -> Self {
        self.limits.time = Some(limit);
        self
    }

    /// Sets how long the command may print nothing. Time during which it was [stopped](Job) does not count.
    #[must_use]
    pub fn max_silence(mut self, limit: Duration) -> Self {
        self.limits.silence = Some(limit);
        self
    }

    /// Sets how many bytes of its own memory each process of the command can have. A program that needs more gets an
    /// error from the system. Only Linux enforces this.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Lets the holder of `job` stop the command for a while.
    #[must_use]
    pub fn job(mut self, job: Job) -> Self {
        self.job = Some(job);
        self
    }

    /// Sets the supervisor that ends the processes that the command leaves behind. Without one, the command's group
    /// ends with it, and processes that left the group live on.
    #[must_use]
    pub fn supervisor(mut self, supervisor: Supervisor) -> Self {
        self.supervisor = Some(supervisor);
        self
    }

    /// Returns whether it runs in a sandbox.
    #[cfg(feature = "tools")]
    pub(crate) fn is_confined(&self) -> bool {
        #[cfg(feature = "sandbox")]
        return self.sandbox.is_some();
        #[cfg(not(feature = "sandbox"))]
        false
    }

    #[cfg(not(feature = "sandbox"))]
    fn spawn(&self, spawn: &Spawn<'_>) -> io::Result<Pid> {
        super::system::spawn(spawn)
    }

    /// Starts the command, and returns our ends of its pipes.
    pub(super) fn start(&self) -> Result<(ProcessSession, ParentPipes), ProcessError> {
        let dir =
            self.dir.as_deref().map(|dir| c_string(dir.as_os_str().as_bytes(), "the working directory"));
        let dir = dir.transpose()?;
        let mut env = self.env.clone();
        if let Some(supervisor) = &self.supervisor {
            env.set(RUN_VARIABLE, supervisor.run());
        }
        #[cfg(feature = "sandbox")]
        if let Some(sandbox) = &self.sandbox {
            sandbox.set_variables(&mut env);
        }
        let (theirs, ours) = stdio::prepare(&self.input, self.merged).map_err(ProcessError::Pipe)?;
        let [stdin, stdout, stderr] = &theirs;
        let spawn = |image: &Image, env: &[CString]| {
            let stdio = [stdin, stdout, stderr];
            let spawn = Spawn { image, dir: dir.as_deref(), env, stdio, inherited: &self.inherited };
            let supervisor = self.supervisor.as_ref();
            process_tree::start(|| Supervisor::start_limited(supervisor, || self.spawn(&spawn)))
        };
        // If this fails, for example because the file is a script without `#!`, the shell tries it.
        let direct = if self.always_shell { None } else { self.program.direct_image(&self.env) };
        let direct = direct.map(|image| Ok::<_, ProcessError>(spawn(&image, &self.with_pwd(&env).block()?)));
        let leader = match direct.transpose()? {
            Some(Ok(leader)) => leader,
            _ => {
                let env = env.block()?;
                let leader = spawn(&self.program.image(&self.env)?, &env);
                leader.map_err(|error| self.spawn_error(error, &env))?
            }
        };
        let session = ProcessSession::led_by(leader, self.supervisor.clone());
        if let Some(bytes) = self.limits.memory {
            limit_memory(leader, bytes).map_err(ProcessError::Lost)?;
        }
        Ok((session, ours))
    }

    /// Corrects `PWD`, as a shell does when it starts: the inherited one may name another folder.
    fn with_pwd(&self, env: &Environment) -> Environment {
        let dir = self.dir.as_deref().unwrap_or(Path::new("."));
        let id = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        match env.get("PWD").map(Path::new) {
            Some(pwd) if pwd.is_absolute() && id(pwd) == id(dir) => env.clone(),
            _ => match dir.canonicalize() {
                Ok(dir) => env.clone().with("PWD", dir),
                Err(_) => env.clone(),
            },
        }
    }

    /// Builds the error for a failed start. The system returns one error number for everything that can go wrong on the
    /// way to the program.
    fn spawn_error(&self, error: io::Error, env: &[CString]) -> ProcessError {
        if Errno::from_io_error(&error) == Some(Errno::TOOBIG) {
            let environment_bytes = env.iter().map(|entry| entry.as_bytes_with_nul().len()).sum();
            return ProcessError::TooLong { line_bytes: self.program.bytes(), environment_bytes };
        }
        match self.dir.as_deref().map(|dir| (dir, enter(dir))) {
            Some((dir, Err(source))) => ProcessError::Directory { path: dir.to_owned(), source },
            _ => ProcessError::Program { program: self.program.name().to_owned(), source: error },
        }
    }
}

fn c_string(bytes: &[u8], what: &str) -> Result<CString, ProcessError> {
    CString::new(bytes).map_err(|_| ProcessError::Nul { what: what.to_owned() })
}

/// Fails if we cannot enter the directory: looking up its own entry needs the same rights.
fn enter(dir: &Path) -> io::Result<()> {
    dir.join(".").metadata().map(drop)
}
