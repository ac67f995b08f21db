//! The debug log of this process, if the person asked for one with `--debug`.

use std::{env, sync::OnceLock};

use loop_core::with_causes;
use loop_telemetry::{DebugLog, StateDir};
use serde_json::json;

use crate::{args::DebugTexts, clock, command::Failure, command::OrFail, view};

static LOG: OnceLock<DebugLog> = OnceLock::new();

/// Returns the log, if there is one.
pub(crate) fn get() -> Option<DebugLog> {
    LOG.get().cloned()
}

/// Begins the log, whose first line has the arguments.
pub(crate) fn begin(texts: DebugTexts) -> Result<(), Failure> {
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    let log = DebugLog::create(&state.logs()?, clock::now, view::secrets)
        .or_setup(|| format!("cannot write the debug log in {}", state.path().display()))?
        .with_texts(texts == DebugTexts::Texts);
    // A prompt is among the arguments.
    let arguments: Vec<_> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let folder = env::current_dir().map(|folder| folder.display().to_string()).ok();
    let shown = if log.has_texts() { &arguments[..] } else { &arguments[..arguments.len().min(1)] };
    let version = env!("CARGO_PKG_VERSION");
    let process = std::process::id();
    log.write(
        "started",
        &json!({ "version": version, "process": process, "arguments": shown, "folder": folder }),
    );
    view::say(&format!("debug log: {}", log.path().display()));
    let _ = LOG.set(log);
    Ok(())
}

/// Writes a line, if there is a log.
pub(crate) fn write(event: &str, fields: &serde_json::Value) {
    if let Some(log) = LOG.get() {
        log.write(event, fields);
    }
}

/// Logs an error with its causes.
pub(crate) fn error(error: &(dyn std::error::Error + 'static)) {
    write("error", &json!({ "error": with_causes(error) }));
}

/// Reports that lines are missing in the log, if so.
pub(crate) fn end() {
    let failed = LOG.get().and_then(|log| log.failure().map(|why| (log, why)));
    if let Some((log, why)) = failed {
        view::warning(&format!("the debug log {} is not complete: {why}", log.path().display()));
    }
}
