//! The specification of a run: a named manifest, the default one, flags, or the stored specification of an earlier run.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use loop_telemetry::{REDACTED, RunFile, RunInfo, RunManifest, words};

use crate::command::{Failure, plan_and_warnings, usage};
use crate::{
    args::OverrideArgs,
    persistence,
    view::{self, secrets},
};
use loop_manifest::{
    Diagnostics, LoadedPlan, Overrides, Plan, Source, default_manifest, flag, kebab_case, unused_manifest,
};

/// The name of a loop from flags, in a folder without a usable name.
const NAMELESS: &str = "loop";

/// The word that replaces [`REDACTED`] before we parse a text. YAML reads the original outside of quotes as a list.
const PLAIN_REDACTED: &str = "removed-secret-7f3ad1";

/// The stored origin of a loop that was built from flags.
const OF_FLAGS: &str = "the command line";

/// The specification of a run.
pub(crate) struct RunSpec {
    pub(crate) plan: Plan,
    /// The warnings as text; empty if there are none.
    pub(crate) warnings: String,
    /// The absolute path of its file, if there is one.
    pub(crate) manifest: Option<PathBuf>,
    /// The text of its manifest, or an equivalent one.
    text: String,
    /// The values from the command line.
    overrides: Overrides,
}

impl RunSpec {
    fn of(source: &Source, manifest: Option<PathBuf>) -> Result<Self, Failure> {
        let overrides = source.overrides().clone();
        let found = Plan::of(source.clone()).and_then(LoadedPlan::finished);
        let (plan, warnings) = plan_and_warnings(found)?;
        Ok(Self { plan, warnings, manifest, text: source.effective()?, overrides })
    }

    /// Returns the flag that sets the key at `path`, or the path if the manifest does.
    pub(crate) fn name_of(&self, path: &'static str) -> &'static str {
        if self.manifest.is_none() { flag(path) } else { self.overrides.name_of(path) }
    }

    /// Returns the origin and the text that are stored for `loop resume`.
    pub(crate) fn stored_text(&self) -> (&Path, &str) {
        (self.manifest.as_deref().unwrap_or(Path::new(OF_FLAGS)), &self.text)
    }

    /// Returns the overrides that are stored for `loop resume`. A loop without a manifest is stored with them.
    pub(crate) fn stored_overrides(&self) -> Vec<String> {
        if self.manifest.is_some() { self.overrides.words() } else { Vec::new() }
    }
}

/// Finds the manifest that the arguments of `command` name, with its overrides. Returns the file, unless flags alone
/// describe the loop, which works in the folder `dir`.
pub(crate) fn requested(
    command: &str,
    manifest: Option<&Path>,
    args: &OverrideArgs,
    dir: &Path,
) -> Result<(Source, Option<PathBuf>), Failure> {
    let overrides = args.overrides(command);
    if !overrides.is_empty() {
        view::redact_also(persistence::named_secrets(overrides.named_values()));
    }
    let has_agent = overrides.has("--agent") || overrides.has("--model");
    if manifest.is_none() && has_agent && overrides.has("--check") && overrides.has("--max") {
        return Ok((Source::of_flags(&name(dir), overrides), None));
    }
    let path = match manifest {
        Some(path) => path.to_owned(),
        None => {
            default_manifest(Path::new(""), command, &lacking(&overrides)).map_err(|none| usage!("{none}"))?
        }
    };
    Ok((Source::open(&path)?.overridden(overrides), Some(path)))
}

/// Returns the flags that a loop without a manifest still needs, if some of them are there.
fn lacking(overrides: &Overrides) -> Vec<&'static str> {
    let needed: [(&[_], _); 3] =
        [(&["--agent", "--model"], "--agent CMD"), (&["--check"], "--check CMD"), (&["--max"], "--max N")];
    let (given, lacking): (Vec<_>, Vec<_>) =
        needed.into_iter().partition(|(flags, _)| flags.iter().any(|flag| overrides.has(flag)));
    lacking.into_iter().map(|(_, flag)| flag).filter(|_| !given.is_empty()).collect()
}

/// Builds the specification of a requested run.
pub(crate) fn of_request((source, path): (Source, Option<PathBuf>)) -> Result<RunSpec, Failure> {
    RunSpec::of(&source, path.as_deref().map(absolute))
}

/// Returns a warning about the manifest in the current folder that a loop from flags does not use.
pub(crate) fn unused(path: Option<&Path>, command: &str) -> Option<String> {
    let unused = unused_manifest(Path::new(""), command).filter(|_| path.is_none())?;
    Some(view::warning_text(&unused))
}

/// Loads the specification of an existing run. A changed manifest is used only if `accepted`: nobody wants half of a
/// run under one set of limits and half under another.
pub(crate) fn of_run(info: &RunInfo, accepted: bool) -> Result<RunSpec, Failure> {
    let Some(manifest @ RunManifest { path, text, overrides, .. }) = &info.manifest else {
        return Err(usage!("the manifest or command of the run {} is not stored", info.id));
    };
    let is_of_flags = path == OF_FLAGS;
    let path = Path::new(path);
    if overrides.iter().any(|word| word.contains(REDACTED)) {
        return Err(usage!(
            "the run {} was started with a secret on its command line, which is not stored: start a new run",
            info.id
        ));
    }
    if is_of_flags || !path.exists() {
        if text.contains(REDACTED) {
            return Err(usage!(
                "{} no longer exists, and its stored copy lacks a secret: restore it, or start a new run",
                path.display()
            ));
        }
        return RunSpec::of(&stored_source(manifest)?, (!is_of_flags).then(|| path.to_owned()));
    }
    let source = current_source(manifest)?;
    match changes(manifest, &source)?.filter(|_| !accepted) {
        None => RunSpec::of(&source, Some(absolute(path))),
        Some(changes) => Err(usage!(
            "{} has changed since the run {} began:\n{changes}\n  \
             undo that, or accept it with `loop resume {} --accept-changes`",
            path.display(),
            info.id,
            info.id
        )),
    }
}

/// Loads the specification with which a run began. A stored copy without its secrets counts only together with its file.
pub(crate) fn as_begun(info: &RunInfo) -> Result<RunSpec, Failure> {
    match &info.manifest {
        Some(manifest) if !manifest.text.contains(REDACTED) => {
            let path = (manifest.path != OF_FLAGS).then(|| PathBuf::from(&manifest.path));
            RunSpec::of(&stored_source(manifest)?, path)
        }
        _ => of_run(info, false),
    }
}

/// Reads the manifest of a run as it is now, with the overrides of the run.
pub(crate) fn current_source(manifest: &RunManifest) -> Result<Source, Failure> {
    let overrides = Overrides::stored("loop run", &manifest.overrides);
    let overrides =
        overrides.ok_or_else(|| usage!("another version of loop stored flags that this one lacks"))?;
    Ok(Source::open(Path::new(&manifest.path))?.overridden(overrides))
}

/// Returns the lines in which a manifest differs from its stored copy, if any do. The stored copy lacks secrets, so
/// this compares both without them.
pub(crate) fn changes(manifest: &RunManifest, now: &Source) -> Result<Option<String>, Failure> {
    let text = now.effective()?;
    let plan = Plan::of(now.clone()).ok().map(|loaded| loaded.plan);
    let named: Vec<_> = plan.iter().flat_map(Plan::named_values).collect();
    let variables: Vec<_> = env::vars_os().collect();
    let redactor = persistence::redactor(named, &variables).and(now.secrets_in(&text)).shapes();
    Ok(words::changed_lines(&redactor.redact(&manifest.text), &redactor.redact(&text), REDACTED))
}

/// Parses the stored manifest of a run. With values from the command line in it, it is stored as JSON.
///
/// A plain word replaces the removed secrets; see [`as_stored`].
pub(crate) fn stored_source(manifest: &RunManifest) -> Result<Source, Diagnostics> {
    let (path, text) = (Path::new(&manifest.path), manifest.text.replace(REDACTED, PLAIN_REDACTED));
    if manifest.path == OF_FLAGS || !manifest.overrides.is_empty() {
        return Ok(Source::stored(path, text));
    }
    Source::from_bytes(path, text.into())
}

/// Marks the removed secrets in a text of a [stored manifest](stored_source) as everywhere.
pub(crate) fn as_stored(text: &str) -> String {
    text.replace(PLAIN_REDACTED, REDACTED)
}

/// Returns the files that the plan reads as parts of its description. An unreadable one ends the run elsewhere.
pub(crate) fn files(plan: &Plan, folder: &Path) -> Vec<RunFile> {
    let files = plan.evaluator.pipeline.iter().flat_map(|pipeline| &pipeline.files);
    files.filter_map(|path| Some(RunFile::new(path, &fs::read(folder.join(path)).ok()?))).collect()
}

/// Refuses to continue a run in this folder if a file that is a part of its description has changed.
pub(crate) fn refuse_changed_files(info: &RunInfo, folder: &Path) -> Result<(), Failure> {
    let has_changed = |file: &&RunFile| fs::read(folder.join(&file.path)).is_ok_and(|now| !file.has(&now));
    match info.files.iter().find(has_changed) {
        None => Ok(()),
        Some(RunFile { path, .. }) => Err(usage!(
            "{path} has changed since the run {id} began\n  \
             undo that, or accept it with `loop resume {id} --accept-changes`",
            id = info.id
        )),
    }
}

/// Returns the name of a loop without a file: the name of its folder.
pub(crate) fn name(dir: &Path) -> String {
    // The name has another form, in which nobody would find a secret.
    let name = kebab_case(&secrets().redact(&dir.file_name().unwrap_or_default().to_string_lossy()));
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

/// Returns the manifest's absolute path, for readers of the record in other folders.
fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_: io::Error| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
