//! The surroundings of a run, as its host decides them.

mod attendance;
mod copies;
mod debug;
mod memory;
mod servers;
mod snapshots;
mod usage;

pub use copies::discard_copies;
pub(crate) use copies::{discard, discard_lanes, journals_place, sealed_place, verified_place};

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::SystemTime,
};

use loop_agents::{
    process::{Job, OutputStream, Supervisor},
    shell::Shell,
    usage::{UsageFile, UsageLog},
};
use loop_guardrails::policy::{Origin, WithOrigin, command::CommandPrefix, environment::looks_secret};
use loop_telemetry::{DebugLog, Redactor, StateDir, secrets_in_addresses};

use crate::{Diagnostics, settings::Settings};

/// Receives what one agent or check prints while it works.
pub trait OutputSink: Send + Sync {
    /// Takes text for people: the words of the agent, or the output of a check. Bytes arrive as they were read, so a
    /// line or a character may be split between two calls.
    fn text(&self, bytes: &[u8]);

    /// Takes the complete raw output. Default: ignores it.
    fn raw(&self, stream: OutputStream, bytes: &[u8]) {
        let _ = (stream, bytes);
    }

    /// Notes that the text and the raw output so far broke off. The next bytes do not continue them. Default: ignores
    /// it.
    fn broke_off(&self) {}
}

/// The folder and the variables of a plan, and the listeners to its parts.
///
/// The context carries what the agent and the checks need. Parts of the loop itself belong to the
/// [`Loop`](loop_core::Loop) that [`Plan::compose`](crate::Plan::compose) returns: add a journal, observers, an ask
/// handler or a cancellation token there. Clones share the folder, the usage file and the supervision.
///
/// # Default
/// No variables, no settings, no listeners, and a redactor that knows the secrets among the variables.
///
/// ```
/// use loop_agents::process::Supervisor;
/// use loop_manifest::ExecutionContext;
///
/// let cx = ExecutionContext::new("/tmp", Supervisor::new("run-7"))?
///     .with_variables(std::env::vars_os())
///     .on_warning(|warning| eprintln!("warning: {warning}"));
/// assert_eq!(cx.folder(), std::path::Path::new("/tmp"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExecutionContext {
    folder: PathBuf,
    executed: Option<PathBuf>,
    variables: Arc<[(OsString, OsString)]>,
    usage: UsageFile,
    usage_log: Arc<OnceLock<UsageLog>>,
    job: Job,
    supervisor: Supervisor,
    servers: servers::RunServers,
    settings: Arc<Result<Settings, Diagnostics>>,
    clock: fn() -> SystemTime,
    snapshots: Option<StateDir>,
    copies: Option<PathBuf>,
    takes_no_snapshots: Arc<AtomicBool>,
    secrets: Option<Hook<Secrets>>,
    output: Option<Hook<MakeSink>>,
    on_usage_note: Option<Hook<Listener>>,
    on_warning: Option<Hook<Listener>>,
    on_lane: Option<Hook<copies::MakeLaneListener>>,
    attend: Option<Hook<attendance::Attend>>,
    on_turn_event: Option<Hook<attendance::TurnListener>>,
    memory: Option<Hook<memory::Recall>>,
    debug_log: Option<DebugLog>,
}

type Redact = dyn Fn(&str) -> String + Send + Sync;
type Secrets = dyn Fn() -> Redactor + Send + Sync;
type Listener = dyn Fn(&str) + Send + Sync;
type MakeSink = dyn Fn() -> Arc<dyn OutputSink> + Send + Sync;

/// A closure of the host's.
struct Hook<F: ?Sized>(Arc<F>);

impl<F: ?Sized> Clone for Hook<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> fmt::Debug for Hook<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a closure")
    }
}

impl ExecutionContext {
    /// Creates a context for the folder in which agents and checks run. `supervisor` ends the processes that they leave
    /// behind.
    ///
    /// # Errors
    /// The file for the usage of the agents cannot be made in the system's folder for temporary files.
    pub fn new(folder: impl Into<PathBuf>, supervisor: Supervisor) -> io::Result<Self> {
        Ok(Self {
            folder: folder.into(),
            executed: None,
            variables: Arc::default(),
            usage: UsageFile::create()?,
            usage_log: Arc::default(),
            job: Job::new(),
            supervisor,
            servers: servers::RunServers::default(),
            settings: Arc::new(Ok(Settings::default())),
            clock: SystemTime::now,
            snapshots: None,
            copies: None,
            takes_no_snapshots: Arc::default(),
            secrets: None,
            output: None,
            on_usage_note: None,
            on_warning: None,
            on_lane: None,
            attend: None,
            on_turn_event: None,
            memory: None,
            debug_log: None,
        })
    }

    /// Sets the user's variables. Agents and checks see those of them that the plan lets them see. Keys and addresses
    /// of models are read from them, and so is the place of the audit of tools (see
    /// [`StateDir`](loop_telemetry::StateDir)).
    #[must_use]
    pub fn with_variables(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self { variables: variables.into_iter().collect(), ..self }
    }

    /// Sets the manifest that is executed, as an absolute path without links. Tools ask before they change it. A task
    /// does this for its own file.
    #[must_use]
    pub fn executing(self, file: Option<PathBuf>) -> Self {
        Self { executed: file, ..self }
    }

    /// Sets the settings, as [`Settings::load`] returns them. An error is reported when a part of the plan needs
    /// settings: a model does, a command does not.
    #[must_use]
    pub fn with_settings(self, settings: Result<Settings, Diagnostics>) -> Self {
        Self { settings: Arc::new(settings), ..self }
    }

    /// Lets the tools of models run commands with these leading words too, as the user says with `--allow`. Rules that
    /// forbid a command still apply.
    #[must_use]
    pub fn allowing(self, entries: impl IntoIterator<Item = CommandPrefix>) -> Self {
        let mut settings = Result::clone(&self.settings);
        if let Ok(settings) = &mut settings {
            let entries = entries.into_iter();
            let allowed = entries.map(|entry| WithOrigin::new(entry, Origin::line("--allow", 1)));
            settings.user.tables.policy.allow.extend(allowed);
        }
        self.with_settings(settings)
    }

    /// Sets the clock of the wall. Default: [`SystemTime::now`].
    #[must_use]
    pub fn with_clock(self, clock: fn() -> SystemTime) -> Self {
        Self { clock, ..self }
    }

    /// Sets the state directory in which the snapshots of the folder are stored. Default: none, and no run captures
    /// anything.
    #[must_use]
    pub fn with_snapshots(self, state: Option<StateDir>) -> Self {
        Self { snapshots: state, ..self }
    }

    /// Redacts stored data: the audit log of tools, the state of tasks, and the journals of loops that run at once.
    /// `secrets` returns the redactor for the secrets that are known by then.
    #[must_use]
    pub fn redacting(self, secrets: impl Fn() -> Redactor + Send + Sync + 'static) -> Self {
        Self { secrets: Some(Hook(Arc::new(secrets))), ..self }
    }

    /// Sets the factory of output sinks: each agent and each check writes to its own sink, which `make` returns.
    #[must_use]
    pub fn on_output(self, make: impl Fn() -> Arc<dyn OutputSink> + Send + Sync + 'static) -> Self {
        Self { output: Some(Hook(Arc::new(make))), ..self }
    }

    /// Sets the listener for problems with an agent's usage reports, such as a model without a price. It is called at
    /// once.
    #[must_use]
    pub fn on_usage_note(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { on_usage_note: Some(Hook(Arc::new(listener))), ..self }
    }

    /// Sets the listener for warnings about parts that can run, but probably not as intended.
    #[must_use]
    pub fn on_warning(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { on_warning: Some(Hook(Arc::new(listener))), ..self }
    }

    /// The folder in which agents and checks run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file that is executed.
    pub(crate) fn executed(&self) -> Option<&Path> {
        self.executed.as_deref()
    }

    /// The user's variables.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// The value of one of the user's variables.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        self.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }

    /// The command that runs, to be stopped and continued.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Returns the supervisor that ends the processes that agents and checks leave behind.
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// The time on the clock of the wall.
    pub fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// The settings.
    ///
    /// # Errors
    /// Returns all errors in the settings.
    pub fn settings(&self) -> Result<&Settings, &Diagnostics> {
        (*self.settings).as_ref()
    }

    /// Returns a shell for commands that see `variables`. It runs in the folder, reports usage to the file, and is
    /// supervised.
    pub fn shell(&self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Shell {
        let shell = Shell::new().dir(&self.folder).inherit_env(variables);
        shell.usage_file(self.usage.clone()).job(self.job.clone()).supervisor(self.supervisor.clone())
    }

    /// Returns a number of this run's own, for the jitter of its waits: runs that failed together must not try again
    /// together.
    pub fn seed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.supervisor.run().hash(&mut hasher);
        hasher.finish()
    }

    /// Reports a warning.
    pub(crate) fn warn(&self, warning: &str) {
        if let Some(Hook(listener)) = &self.on_warning {
            listener(warning);
        }
    }

    /// Returns a sink for one agent or check, if anybody listens.
    pub(crate) fn sink(&self) -> Option<Arc<dyn OutputSink>> {
        self.output.as_ref().map(|Hook(make)| make())
    }

    /// Returns the listener for what is odd about usage.
    pub(crate) fn usage_notes(&self) -> impl FnMut(&str) + Send + 'static + use<> {
        let listener = self.on_usage_note.clone();
        move |note| {
            if let Some(Hook(listener)) = &listener {
                listener(note);
            }
        }
    }

    /// Returns the redactor for the secrets that are known now.
    pub fn redactor(&self) -> Redactor {
        self.secrets()()
    }

    /// Returns what takes secrets out of texts, also those that become known later.
    pub(crate) fn redaction(&self) -> Arc<Redact> {
        let secrets = self.secrets();
        Arc::new(move |text| secrets().redact(text).into_owned())
    }

    fn secrets(&self) -> Arc<Secrets> {
        match &self.secrets {
            Some(Hook(secrets)) => Arc::clone(secrets),
            None => {
                let variables = self.variables.iter().map(|(name, value)| (&**name, &**value));
                let redactor = Redactor::new(secrets_in(variables)).shapes();
                Arc::new(move || redactor.clone())
            }
        }
    }
}

/// Returns the secrets among these variables: the values of those whose names or values look secret, and the logins and
/// keys in addresses.
///
/// ```
/// use loop_manifest::secrets_in;
///
/// let variables = [("API_KEY", "hunter2hunter2"), ("SHELL", "/bin/sh")];
/// let found = secrets_in(variables.map(|(name, value)| (name.as_ref(), value.as_ref())));
/// assert_eq!(found.into_iter().collect::<Vec<_>>(), [b"hunter2hunter2"]);
/// ```
pub fn secrets_in<'a>(variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) -> BTreeSet<Vec<u8>> {
    let mut secrets = BTreeSet::new();
    for (name, value) in variables {
        if looks_secret(name, value) {
            secrets.insert(value.as_encoded_bytes().to_vec());
        } else {
            let text = value.to_string_lossy();
            secrets.extend(secrets_in_addresses(&text).into_iter().map(|secret| secret.as_bytes().to_vec()));
        }
    }
    secrets
}
