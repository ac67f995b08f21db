//! A command, and what it is given.

use std::{
    env,
    ffi::{CString, OsString},
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustix::io::Errno;

use super::{
    Custody, Environment, Job, ProcessError, RUN_VARIABLE,
    custody::family,
    limit::Limits,
    program::Program,
    session::Session,
    stdio::{self, Ours},
    system::{self, Spawn},
};
use crate::output::Capture;

/// How long a command has to end after TERM, by default: five seconds.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// A command line for `/bin/sh -c`, or a program and its arguments, and all that it is given.
///
/// # Default
/// No environment, the current directory, an empty input, two outputs of which
/// [`Capture::DEFAULT_LIMIT`] bytes of head and tail are kept, [`DEFAULT_GRACE`], no limits, and nobody's
/// custody.
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
    dir: Option<PathBuf>,
    pub(crate) env: Environment,
    input: Vec<u8>,
    merged: bool,
    pub(super) capture_limit: usize,
    pub(super) grace: Duration,
    pub(super) limits: Limits,
    pub(super) job: Option<Job>,
    pub(super) custody: Option<Custody>,
    /// Shared, since a command can be cloned and a descriptor cannot.
    inherited: Arc<Vec<OwnedFd>>,
}

impl Process {
    /// A command line, as one would type it.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::of(Program::Shell(line.into()))
    }

    /// A program and its arguments, without a shell between them: no sign in them has a meaning.
    ///
    /// A name is looked for in the absolute folders of the `PATH` that the command
    /// [sees](Self::env), or in the system's usual ones if it sees none; a program with a `/` in it starts from
    /// the working directory.
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
            dir: None,
            env: Environment::new(),
            input: Vec::new(),
            merged: false,
            capture_limit: Capture::DEFAULT_LIMIT,
            grace: DEFAULT_GRACE,
            limits: Limits::default(),
            job: None,
            custody: None,
            inherited: Arc::default(),
        }
    }

    /// The working directory.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// All variables that the command sees.
    #[must_use]
    pub fn env(mut self, env: Environment) -> Self {
        self.env = env;
        self
    }

    /// More variables beside those that are set already.
    #[must_use]
    pub fn also_env<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.env = self.env.inherit(vars);
        self
    }

    /// Takes away the variables whose names begin so.
    pub(crate) fn without_env(mut self, beginning: &str) -> Self {
        self.env = self.env.without_beginning(beginning);
        self
    }

    /// Gives the command these descriptors, under the numbers that they have here, which are 3 or more. Only Linux can.
    pub(crate) fn inheriting(mut self, descriptors: Vec<OwnedFd>) -> Self {
        self.inherited = Arc::new(descriptors);
        self
    }

    /// What the command can read, at any size, whether it reads it or not.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// The same for another command line.
    #[must_use]
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.program = Program::Shell(line.into());
        self
    }

    /// The same for a [program](Self::program) and its arguments.
    #[must_use]
    pub fn words<A: Into<String>>(
        mut self,
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.program = Program::Words(program.into(), arguments.into_iter().map(Into::into).collect());
        self
    }

    /// Looks for the program outside of this folder: whoever may write there would say what it is.
    pub(crate) fn found_outside(self, folder: &Path) -> Self {
        let Some(path) = self.env.get("PATH") else { return self };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let is_outside = |it: &PathBuf| it.canonicalize().is_ok_and(|it| !it.starts_with(&folder));
        // Parts of one list make one again.
        let path = env::join_paths(env::split_paths(path).filter(is_outside)).unwrap_or_default();
        self.also_env([("PATH", path)])
    }

    /// Puts both outputs on one pipe, so that their order is kept.
    /// [`Finished::stdout`](super::Finished::stdout) then has both.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.merged = true;
        self
    }

    /// How many bytes of each output's head, and how many of its tail, are kept.
    #[must_use]
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.capture_limit = bytes;
        self
    }

    /// How long the command has to end after TERM, before KILL.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long the command may run. A time for which it was [stopped](Job) does not count.
    #[must_use]
    pub fn max_time(mut self, limit: Duration) -> Self {
        self.limits.time = Some(limit);
        self
    }

    /// For how long the command may print nothing. A time for which it was [stopped](Job) does not count.
    #[must_use]
    pub fn max_silence(mut self, limit: Duration) -> Self {
        self.limits.silence = Some(limit);
        self
    }

    /// Lets somebody stop the command for a while.
    #[must_use]
    pub fn job(mut self, job: Job) -> Self {
        self.job = Some(job);
        self
    }

    /// Who answers for what the command leaves behind. Nobody does by default: its group is ended with it,
    /// and what left the group lives on.
    #[must_use]
    pub fn custody(mut self, custody: Custody) -> Self {
        self.custody = Some(custody);
        self
    }

    /// Starts the command, and gives our ends of its pipes.
    pub(super) fn start(&self) -> Result<(Session, Ours), ProcessError> {
        let image = self.program.image(&self.env)?;
        let dir =
            self.dir.as_deref().map(|dir| c_string(dir.as_os_str().as_bytes(), "the working directory"));
        let dir = dir.transpose()?;
        let env = match &self.custody {
            Some(custody) => self.env.clone().with(RUN_VARIABLE, custody.run()).block()?,
            None => self.env.block()?,
        };
        let (theirs, ours) = stdio::prepare(&self.input, self.merged).map_err(ProcessError::Pipe)?;
        let [stdin, stdout, stderr] = &theirs;
        let spawn = Spawn {
            image: &image,
            dir: dir.as_deref(),
            env: &env,
            stdio: [stdin, stdout, stderr],
            inherited: &self.inherited,
        };
        let leader = family::start(|| system::spawn(&spawn));
        let leader = leader.map_err(|error| self.spawn_error(error, &env))?;
        Ok((Session::led_by(leader, self.custody.clone()), ours))
    }

    /// The system gives one number for all that can go wrong on the way to the program.
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

/// Whether a directory could be entered: looking at its own entry in it needs the same rights.
fn enter(dir: &Path) -> io::Result<()> {
    dir.join(".").metadata().map(drop)
}
