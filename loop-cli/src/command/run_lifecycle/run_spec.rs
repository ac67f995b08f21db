//! The specification of a run: a named manifest, the default one, flags, or the stored specification of an earlier run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use loop_telemetry::{REDACTED, RunInfo, RunManifest};

use super::default_manifest;
use crate::command::{Failure, plan_and_warnings, usage};
use crate::{
    args::{FlagArgs, RunArgs},
    view::changed_lines,
};
use loop_manifest::{Diagnostics, Flags, LoadedPlan, Plan, Source, init::in_full, kebab_case};

/// The name of a loop from flags, in a folder without a usable name.
const NAMELESS: &str = "loop";

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
}

impl RunSpec {
    fn new(
        text: String,
        manifest: Option<PathBuf>,
        found: Result<LoadedPlan, Diagnostics>,
    ) -> Result<Self, Failure> {
        let (plan, warnings) = plan_and_warnings(found.and_then(LoadedPlan::finished))?;
        Ok(Self { plan, warnings, manifest, text })
    }

    fn of_file(path: &Path, source: Source) -> Result<Self, Failure> {
        Self::new(source.text().to_owned(), Some(absolute(path)), Plan::of(source))
    }

    /// Returns whether flags define the loop.
    pub(crate) const fn is_of_flags(&self) -> bool {
        self.manifest.is_none()
    }

    /// Returns the origin and the text that are stored for `loop resume`.
    pub(crate) fn stored_text(&self) -> (&Path, &str) {
        (self.manifest.as_deref().unwrap_or(Path::new(OF_FLAGS)), &self.text)
    }
}

/// Builds the specification that `args` request. The loop works in the folder `dir`.
pub(crate) fn of_args(args: &RunArgs, dir: &Path) -> Result<RunSpec, Failure> {
    if let Some(flags) = &args.flags {
        let (flags, name) = (of_flags(flags), name(dir));
        return RunSpec::new(flags.manifest(&name), None, flags.plan(name));
    }
    let manifest = args.manifest.clone().map_or_else(|| default_manifest::find("loop run"), Ok)?;
    RunSpec::of_file(&manifest, Source::open(&manifest)?)
}

/// Loads the specification of an existing run. A changed manifest is used only if `accepted`: nobody wants half of a
/// run under one set of limits and half under another.
pub(crate) fn of_run(info: &RunInfo, accepted: bool) -> Result<RunSpec, Failure> {
    let Some(manifest @ RunManifest { path, text, .. }) = &info.manifest else {
        return Err(usage!("the manifest or command of the run {} is not stored", info.id));
    };
    let is_of_flags = path == OF_FLAGS;
    let path = Path::new(path);
    if is_of_flags || !path.exists() {
        if text.contains(REDACTED) {
            return Err(usage!(
                "{} no longer exists, and its stored copy lacks a secret: restore it, or start a new run",
                path.display()
            ));
        }
        let source = stored_source(manifest)?;
        let manifest = (!is_of_flags).then(|| path.to_owned());
        return RunSpec::new(text.clone(), manifest, Plan::of(source));
    }
    let source = Source::open(path)?;
    let found = changed_lines(text, source.text(), REDACTED);
    match found.filter(|_| !accepted) {
        None => RunSpec::of_file(path, source),
        Some(changes) => Err(usage!(
            "{} has changed since the run {} began:\n{changes}\n  \
             undo that, or accept it with `loop resume {} --accept-changes`",
            path.display(),
            info.id,
            info.id
        )),
    }
}

/// Parses the stored manifest of a run. A loop from flags is stored as JSON, without a file.
pub(crate) fn stored_source(manifest: &RunManifest) -> Result<Source, Diagnostics> {
    let path = if manifest.path == OF_FLAGS { "flags.json" } else { &manifest.path };
    Source::from_bytes(Path::new(path), manifest.text.clone().into())
}

fn of_flags(flags: &FlagArgs) -> Flags<'_> {
    Flags {
        agent: in_full(&flags.agent),
        check: &flags.check,
        max: flags.max,
        goal: flags.goal.as_deref(),
        prompt: flags.prompt.as_deref(),
        max_cost: flags.max_cost,
        max_time: flags.max_time.map(|time| time.as_secs_f64()),
        allow_unmetered: flags.allow_unmetered,
    }
}

/// Returns the name of a loop without a file: the name of its folder.
fn name(dir: &Path) -> String {
    let name = kebab_case(&dir.file_name().unwrap_or_default().to_string_lossy());
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

/// Returns the manifest's absolute path, for readers of the record in other folders.
fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_: io::Error| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
