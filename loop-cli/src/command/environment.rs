//! The working folder and the environment of commands.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::LazyLock,
};

use anyhow::anyhow;
use loop_agents::process::{RUN_VARIABLE, Supervisor, is_below_a_run};
use loop_telemetry::StateDir;
use rustix::process::{Resource, getrlimit};
use serde_json::json;

use super::{Failure, OrFail, memory, usage};
use crate::{
    clock, debug_log, exit, persistence,
    signals::Signals,
    view::{self},
};
use loop_manifest::{
    ExecutionContext,
    model::{Model, ModelChoiceError},
    settings::Settings,
};

/// Returns the folder in which the agent and the evaluator run.
pub(super) fn dir(cwd: Option<&Path>) -> Result<PathBuf, Failure> {
    dir_of("--cwd", cwd)
}

/// Returns the folder that this flag names.
pub(super) fn dir_of(flag: &str, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let dir = match named {
        Some(dir) => fs::canonicalize(dir).or_usage(|| format!("cannot use {flag} {}", dir.display()))?,
        None => env::current_dir().or_setup(|| "cannot use the current folder")?,
    };
    if !dir.is_dir() {
        return Err(usage!("{flag} {} is not a folder", dir.display()));
    }
    Ok(dir)
}

/// Loads the settings for this folder. The folder appears in messages as the user wrote it.
pub(super) fn settings(dir: &Path) -> Result<Settings, Failure> {
    Ok(persistence::settings(dir, |name| env::var_os(name))?)
}

/// Builds the execution context of the agent and the evaluator in this folder.
pub(super) fn execution_context(dir: PathBuf, run: String) -> Result<ExecutionContext, Failure> {
    enough_files()?;
    let variables = variables();
    // From here on, secrets in addresses of the settings are known and redacted. Not every run needs settings, so
    // errors in them are reported only where they matter.
    let settings = persistence::settings(&dir, |name| env::var_os(name));
    let memory = memory::for_prompts(dir.clone(), run.clone());
    let rules = settings.as_ref().map(Settings::memory).unwrap_or_default();
    let tools = rules.is_enabled.then(|| memory::tools(dir.clone(), run.clone()));
    let supervisor = supervisor(run).or_setup(|| "cannot supervise the processes of the run")?;
    let cx = ExecutionContext::new(dir, supervisor).or_setup(|| {
        let tmp = env::temp_dir();
        format!(
            "cannot create the file for the agent's usage in {} (set TMPDIR to another folder)",
            tmp.display()
        )
    })?;
    let cx = match tools {
        Some(own) => cx.attended(move |tools| own.add_to(tools)),
        None => cx,
    };
    if let (Ok(settings), Some(_)) = (&settings, debug_log::get()) {
        let [user, project] = [&settings.user, &settings.project].map(|layer| format!("{:?}", layer.tables));
        debug_log::write("settings", &json!({ "user": user, "project": project }));
    }
    Ok(cx
        .with_debug_log(debug_log::get())
        .with_variables(variables)
        .with_settings(settings)
        .with_clock(|| clock::now().into())
        .with_copies(copies())
        .with_snapshots(StateDir::from_env_with(|name| env::var_os(name)).ok())
        .with_memory(memory)
        .redacting(view::secrets)
        .on_warning(view::warning))
}

/// Returns the folder for copies of a run's folder: `$XDG_CACHE_HOME/loop/copies`, else `~/.cache/loop/copies`.
pub(super) fn copies() -> Option<PathBuf> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("loop/copies"))
}

/// Returns the name of the model, or without a name that of the one that [`Model::choose`] finds, and reports the choice.
pub(super) fn model_name(
    named: Option<String>,
    settings: &Settings,
    variables: &[(OsString, OsString)],
) -> Result<String, ModelChoiceError> {
    if let Some(name) = named {
        return Ok(name);
    }
    let model = Model::choose(None, settings, variables)?;
    report_choice(&model);
    Ok(model.asked().to_owned())
}

/// Reports which model was chosen, if nobody named one and there are several.
pub(super) fn report_choice(model: &Model) {
    if let Some(reason) = model.reason() {
        view::say(reason);
    }
}

/// Asks the person at the terminal whether to do this, such as `delete 3 runs`.
pub(super) fn agrees(doing: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(usage!("nobody can be asked: to {doing} without a question, add --yes"));
    }
    view::say(&format!("Type `yes` and Enter to {doing}; anything else does nothing."));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).or_setup(|| "the answer cannot be read")?;
    Ok(answer.trim() == "yes")
}

/// Returns the variables of this process. They name a run if one started it, also if an agent took the name away: an
/// agent does not become a person by that.
pub(super) fn variables() -> Vec<(OsString, OsString)> {
    // Supervisors give this process a mark of its own, so look before the first one.
    static IS_BELOW_A_RUN: LazyLock<bool> = LazyLock::new(is_below_a_run);
    let hidden = *IS_BELOW_A_RUN && env::var_os(RUN_VARIABLE).is_none();
    env::vars_os().chain(hidden.then(|| (RUN_VARIABLE.into(), "hidden".into()))).collect()
}

/// Returns a name for a new run. Names sort by time.
pub(super) fn new_run_id() -> String {
    crate::clock::new_id().to_string()
}

/// Creates the supervisor for the run with this name. No process that a command starts outlives the command or this
/// process.
pub(super) fn supervisor(run: String) -> io::Result<Supervisor> {
    if cfg!(target_os = "linux") {
        // Uses this very program, even if another version was installed in its place meanwhile.
        Ok(Supervisor::subreaper(run)?.with_watchdog("/proc/self/exe")?.in_control_group())
    } else {
        Ok(Supervisor::new(run))
    }
}

/// The minimum limit on open files: with fewer, the runtime and a command's pipes do not fit.
const LEAST_FILES: u64 = 32;

fn enough_files() -> Result<(), Failure> {
    let limit = getrlimit(Resource::Nofile).current;
    match limit.filter(|limit| *limit < LEAST_FILES) {
        Some(limit) => Err(Failure::Setup(anyhow!(
            "only {limit} open files are allowed here, but a run needs {LEAST_FILES} (`ulimit -n {LEAST_FILES}` \
             allows them)"
        ))),
        None => Ok(()),
    }
}

/// Runs `work` to its end, on this thread.
pub(super) fn block_on(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.or_internal("cannot start the asynchronous runtime")?;
    let done = runtime.block_on(work);
    // A thread that still waits for a person's answer must not delay the exit.
    runtime.shutdown_background();
    done
}

/// Runs `work` until a signal arrives, which ends it and the commands that it started. They have their own process
/// sessions and would not receive the signal.
pub(super) async fn unless_signalled(
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
    tokio::select! {
        done = work => done.map(|()| ExitCode::from(exit::OK)),
        signal = signals.next() => Ok(ExitCode::from(exit::of_signal(signal))),
    }
}
