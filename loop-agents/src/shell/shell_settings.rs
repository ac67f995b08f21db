//! Where and how commands run: the common settings of the agent's and the evaluator's commands.

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    future::{Future, pending},
    io,
    path::PathBuf,
    time::Duration,
};

use loop_core::{Ceiling, Meter};

use super::placeholder::plain_dollars;

use crate::{
    process::{Job, OutputStream, Process, ProcessError, ProcessOutput, Supervisor},
    usage::{USAGE_FILE_VARIABLE, UsageFile, UsageLog},
};

/// The environment variable with the number of the iteration, from 1.
pub const ITERATION_VARIABLE: &str = "LOOP_ITERATION";

/// The environment variable that tells an agent, and a check, how many dollars of the guardrails' budget are left. We
/// do not set it without a limit.
pub const BUDGET_VARIABLE: &str = "LOOP_BUDGET_USD_LEFT";

/// The environment variable that tells an agent, and a check, how many whole seconds of the guardrails' time are left.
/// We do not set it without a limit.
pub const SECONDS_VARIABLE: &str = "LOOP_SECONDS_LEFT";

/// Where and how commands run.
///
/// # Default
/// The current directory, an empty environment, no usage file, a grace time of five seconds
/// ([`DEFAULT_GRACE`](crate::process::DEFAULT_GRACE)), 1 MiB of head and tail kept of each output, no limits, and its
/// own [`Supervisor`], so that dropping the last clone of this shell ends the processes that commands left behind.
///
/// ```
/// use loop_agents::shell::Shell;
///
/// let shell = Shell::new().dir("/work").inherit_env(std::env::vars_os()).env_remove("AWS_SECRET_ACCESS_KEY");
/// ```
#[derive(Debug, Clone)]
pub struct Shell {
    /// A command without its line and its input.
    process: Process,
    usage_file: Option<UsageFile>,
    usage_log: Option<UsageLog>,
}

impl Default for Shell {
    fn default() -> Self {
        Self {
            process: Process::shell("").supervisor(Supervisor::unnamed()),
            usage_file: None,
            usage_log: None,
        }
    }
}

impl Shell {
    /// Creates a shell with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the directory where commands run.
    #[must_use]
    pub fn dir(self, dir: impl Into<PathBuf>) -> Self {
        self.with(|process| process.dir(dir))
    }

    /// Sets whether `/bin/sh` reads every command line. By default, a line that is only a program and its arguments
    /// starts without it; see [`Process::shell`].
    #[must_use]
    pub fn always_shell(self, always: bool) -> Self {
        self.with(|process| process.always_shell(always))
    }

    /// Sets one environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.process.env.set(name, value);
        self
    }

    /// Removes one environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.process.env = self.process.env.without(name);
        self
    }

    /// Sets all of `vars`. Commands inherit no variables by default. `inherit_env(std::env::vars_os())` passes on all
    /// of them.
    #[must_use]
    pub fn inherit_env<K: Into<OsString>, V: Into<OsString>>(
        self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.with(|process| process.also_env(vars))
    }

    /// Sets how long a command has to end after TERM, before KILL.
    ///
    /// Use a shorter time than the loop's own grace time ([`Loop::grace`](loop_core::Loop::grace)). When that time is
    /// over, the loop drops the command, which kills it at once.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        self.with(|process| process.grace(grace))
    }

    /// Sets how long each command may run; see [`Process::max_time`].
    #[must_use]
    pub fn max_time(self, limit: Duration) -> Self {
        self.with(|process| process.max_time(limit))
    }

    /// Sets how long a command may print nothing; see [`Process::max_silence`].
    #[must_use]
    pub fn max_silence(self, limit: Duration) -> Self {
        self.with(|process| process.max_silence(limit))
    }

    /// Sets how many bytes of each output's head, and how many of its tail, to keep.
    #[must_use]
    pub fn capture_limit(self, bytes: usize) -> Self {
        self.with(|process| process.capture_limit(bytes))
    }

    /// Sets the supervisor that ends the processes that commands leave behind. Give the agent and the evaluator of a
    /// run the same one.
    #[must_use]
    pub fn supervisor(self, supervisor: Supervisor) -> Self {
        self.with(|process| process.supervisor(supervisor))
    }

    /// Sets the file to which commands may report their usage. One file serves one run. If the evaluator's commands
    /// report too, give both the same file.
    #[must_use]
    pub fn usage_file(mut self, file: UsageFile) -> Self {
        self.usage_file = Some(file);
        self
    }

    /// Sets a log that the commands write in addition to the usage file. The lines that are appended to it while a command
    /// runs count, whoever writes them. Commands without a [usage file](Self::usage_file) do not read it; an agent has
    /// one.
    #[must_use]
    pub fn usage_log(mut self, log: UsageLog) -> Self {
        self.usage_log = Some(log);
        self
    }

    /// Lets the holder of `job` stop the commands for a while.
    #[must_use]
    pub fn job(self, job: Job) -> Self {
        self.with(|process| process.job(job))
    }

    /// Runs every command inside this sandbox. Commands can also write the [usage file](Self::usage_file).
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn sandbox(self, sandbox: crate::process::sandbox::PreparedSandbox) -> Self {
        self.with(|process| process.sandbox(sandbox))
    }

    fn with(self, change: impl FnOnce(Process) -> Process) -> Self {
        Self { process: change(self.process), ..self }
    }

    /// Returns the process for a command line with these settings.
    pub(crate) fn command(&self, line: impl Into<String>) -> Process {
        self.process.clone().line(line)
    }

    /// Creates the usage file if it is missing.
    pub(super) fn ensure_usage_file(&mut self) -> io::Result<()> {
        if self.usage_file.is_none() {
            self.usage_file = Some(UsageFile::create()?);
        }
        Ok(())
    }

    /// Returns how many lines of the usage file and the usage log have counted so far.
    pub(super) fn reported_lines(&self) -> u64 {
        self.usage_file.as_ref().map_or(0, UsageFile::counted)
            + self.usage_log.as_ref().map_or(0, UsageLog::counted)
    }

    /// Runs a [command](Self::command), and reports the usage that it writes into the usage file.
    pub(super) async fn run<S, L>(
        &self,
        mut process: Process,
        iteration: u64,
        meter: Option<&Meter>,
        stop: S,
        listener: L,
    ) -> Result<ProcessOutput, ProcessError>
    where
        S: Future<Output = ()> + Send,
        L: FnMut(OutputStream, &[u8]) + Send,
    {
        process.env.set(ITERATION_VARIABLE, iteration.to_string());
        if let Some(file) = &self.usage_file {
            process.env.set(USAGE_FILE_VARIABLE, file.path());
            #[cfg(feature = "sandbox")]
            process.also_writable(file.path());
        }
        match (&self.usage_file, meter) {
            (Some(file), Some(meter)) => {
                let log = self.usage_log.as_ref();
                log.iter().for_each(|log| log.begin());
                let _reading = FinalUsageRead { file, log, meter };
                // Poll the file first, so that a command that prints without end does not delay its reports.
                tokio::select! {
                    biased;
                    never = file.follow(meter) => match never {},
                    never = follow(log, meter) => match never {},
                    finished = process.run(stop, listener) => finished,
                }
            }
            _ => process.run(stop, listener).await,
        }
    }
}

/// Follows the log, if there is one. Never resolves.
async fn follow(log: Option<&UsageLog>, meter: &Meter) -> Infallible {
    match log {
        Some(log) => log.follow(meter).await,
        None => pending().await,
    }
}

/// Returns the variables that tell a command the remaining budget.
pub(super) fn variables(left: Ceiling) -> impl Iterator<Item = (&'static str, String)> {
    let dollars = left.cost.map(|cost| (BUDGET_VARIABLE, plain_dollars(cost)));
    let seconds = left.time.map(|time| (SECONDS_VARIABLE, time.as_secs().to_string()));
    dollars.into_iter().chain(seconds)
}

/// Reads the usage file and the log a last time, even if the command is dropped, because its usage costs money however it ends.
struct FinalUsageRead<'a> {
    file: &'a UsageFile,
    log: Option<&'a UsageLog>,
    meter: &'a Meter,
}

impl Drop for FinalUsageRead<'_> {
    fn drop(&mut self) {
        self.file.finish(self.meter);
        self.log.iter().for_each(|log| log.finish(self.meter));
    }
}
