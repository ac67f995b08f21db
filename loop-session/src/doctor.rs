//! Examines this machine, and the files that are stored on it.
//!
//! Everything here is read with the loaders that the other commands use, so that a file which passes is one that they
//! accept. Nothing is changed, unless somebody makes a [`Repair`].

mod machine;
mod stored;

use std::{
    ffi::OsString,
    fmt, fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use loop_agents::{
    process::sandbox::UserFolders,
    tools::{CommandSandbox, Confinement},
};
use loop_guardrails::policy::ActionPolicy;
use loop_manifest::{
    ExecutionContext,
    init::{KnownAgent, agents_on_path},
    model::{available, command_sandbox},
    settings::Settings,
};
use loop_telemetry::{
    StateDir,
    words::{
        plain as printable,
        style::{BAD, DIM, GOOD, paint},
    },
};
use serde::Serialize;

/// The result of one examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Health {
    /// It works.
    Good,
    /// It is missing, and some features with it.
    Missing,
    /// It is damaged, or cannot be used.
    Bad,
}

/// One thing that was examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The part that it belongs to: `machine`, `agents`, `settings`, `models` or `state`.
    pub area: &'static str,
    /// Its name.
    pub name: String,
    /// The result.
    pub health: Health,
    /// The result in words.
    pub says: String,
    /// The repair, if there is one.
    #[serde(skip)]
    pub repair: Option<Repair>,
}

/// A repair that nothing else makes. It deletes what is damaged, or takes rights, so ask the person first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// Deletes a damaged store of snapshots, with all its snapshots. The next run creates a new one.
    DeleteSnapshots(PathBuf),
    /// Takes the rights of other users on the state directory.
    CloseFolder(PathBuf),
}

impl Repair {
    /// Makes the repair.
    ///
    /// # Errors
    /// A file cannot be deleted, or the rights of a folder cannot be changed.
    pub fn make(&self) -> io::Result<()> {
        match self {
            Self::DeleteSnapshots(store) => fs::remove_dir_all(store),
            Self::CloseFolder(folder) => fs::set_permissions(folder, fs::Permissions::from_mode(0o700)),
        }
    }
}

/// Completes "Type `yes` to …".
impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeleteSnapshots(store) => write!(f, "delete the damaged snapshots in {}", store.display()),
            Self::CloseFolder(folder) => write!(f, "take the rights of other users on {}", folder.display()),
        }
    }
}

impl Finding {
    fn new(area: &'static str, name: impl Into<String>, health: Health, says: impl Into<String>) -> Self {
        Self { area, name: name.into(), health, says: says.into(), repair: None }
    }
}

/// Examines the machine, and what the variables of `cx` name: agents, settings, models and the state directory. Models
/// are asked over the network. Blocks.
///
/// ```
/// use loop_agents::process::Supervisor;
/// use loop_manifest::ExecutionContext;
/// use loop_session::doctor::{Health, examine};
///
/// let folder = tempfile::tempdir()?;
/// let state = folder.path().join("state").into_os_string();
/// let variables = [("LOOP_HOME".into(), state), ("PATH".into(), "/bin".into())];
/// let cx = ExecutionContext::new(folder.path(), Supervisor::new("doctor"))?.with_variables(variables);
/// let stored = examine(&cx).into_iter().filter(|finding| finding.area == "state");
/// assert!(stored.into_iter().all(|finding| finding.health == Health::Good));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn examine(cx: &ExecutionContext) -> Vec<Finding> {
    let variable = |name: &str| cx.variable(name);
    let mut findings = machine::findings(cx.supervisor());
    findings.extend(agents(variable));
    match Settings::load(cx.folder(), variable) {
        Ok(settings) => {
            findings.push(Finding::new("settings", "files", Health::Good, "they can be read"));
            findings.push(commands(&command_sandbox(cx), &settings.policy()));
            findings.push(models(&settings, cx));
        }
        Err(problems) => findings.push(Finding::new("settings", "files", Health::Bad, problems.to_string())),
    }
    match StateDir::from_env_with(variable) {
        Ok(state) => findings.extend(stored::findings(&state)),
        Err(error) => findings.push(Finding::new("state", "folder", Health::Bad, error.to_string())),
    }
    findings
}

fn commands(sandbox: &CommandSandbox, policy: &ActionPolicy) -> Finding {
    let health = match sandbox.confinement(policy) {
        Confinement::Sandbox => Health::Good,
        // A person decided this.
        Confinement::Off => Health::Missing,
        _ => Health::Bad,
    };
    Finding::new("settings", "commands run", health, sandbox.describe(policy))
}

/// Names the agents on `PATH`, and tells where each finds a login.
fn agents(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Finding> {
    let (path, folders) = (variable("PATH").unwrap_or_default(), UserFolders::of(&variable));
    let login = |agent: &KnownAgent| {
        let name = format!("{} login", agent.program);
        match agent.login(&folders, &variable) {
            Some(place) => Finding::new("agents", name, Health::Good, place),
            None => {
                let keys = agent.login_variables().join(" or ");
                let says = format!("none was found: start `{}` and log in, or set {keys}", agent.program);
                Finding::new("agents", name, Health::Missing, says)
            }
        }
    };
    let installed: Vec<_> = agents_on_path(&path).collect();
    let found = match installed.iter().map(|agent| agent.program).collect::<Vec<_>>() {
        names if names.is_empty() => {
            Finding::new("agents", "installed", Health::Missing, "none that loop knows is on PATH")
        }
        names => Finding::new("agents", "installed", Health::Good, names.join(", ")),
    };
    [found].into_iter().chain(installed.into_iter().map(login)).collect()
}

fn models(settings: &Settings, cx: &ExecutionContext) -> Finding {
    match available(settings, cx, false) {
        Ok(models) if models.is_empty() => {
            Finding::new("models", "known", Health::Missing, "none is in the settings, and no server answers")
        }
        Ok(models) => {
            let names: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
            Finding::new("models", "known", Health::Good, names.join(", "))
        }
        Err(error) => Finding::new("models", "known", Health::Bad, loop_core::with_causes(&error)),
    }
}

/// Formats findings for people.
pub fn page(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let (word, style) = match finding.health {
            Health::Good => ("ok     ", GOOD),
            Health::Missing => ("missing", DIM),
            Health::Bad => ("BAD    ", BAD),
        };
        let name = format!("{} {}", finding.area, finding.name);
        format!("  {}  {:<24} {}", paint(style, word), printable(&name), printable(&finding.says))
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns whether something is damaged or cannot be used.
pub fn has_bad(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.health == Health::Bad)
}

/// Returns the folders in a folder, sorted. A folder that does not exist has none.
fn folders_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
