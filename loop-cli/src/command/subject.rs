//! What `loop run` is to run: a manifest that is named, the one that is here, or a loop made of flags.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{Failure, here, reported};
use crate::{
    args::{FlagArgs, RunArgs},
    init::agent,
    manifest::{Plan, flags::Flags, kebab_case, plan::Loaded},
};

/// What a loop is called that is made of flags, in a folder whose name is none.
const NAMELESS: &str = "loop";

/// What is to be run.
pub(super) struct Subject {
    pub(super) plan: Plan,
    /// What is odd about it, as text; empty if nothing is.
    pub(super) warnings: String,
    /// The whole path of its file, if it has one.
    pub(super) manifest: Option<PathBuf>,
}

/// What `args` ask for. The loop works in the folder `dir`.
pub(super) fn of(args: &RunArgs, dir: &Path) -> Result<Subject, Failure> {
    if let Some(flags) = &args.flags {
        let (plan, warnings) = reported(of_flags(flags).plan(name(dir)).and_then(Loaded::finished))?;
        return Ok(Subject { plan, warnings, manifest: None });
    }
    let manifest = args.manifest.clone().map_or_else(|| here::manifest("loop run"), Ok)?;
    let (plan, warnings) = reported(Plan::load(&manifest).and_then(Loaded::finished))?;
    Ok(Subject { plan, warnings, manifest: Some(absolute(&manifest)) })
}

fn of_flags(flags: &FlagArgs) -> Flags<'_> {
    Flags {
        agent: agent::in_full(&flags.agent),
        check: &flags.check,
        max: flags.max,
        goal: flags.goal.as_deref(),
        prompt: flags.prompt.as_deref(),
        max_cost: flags.max_cost,
        max_time: flags.max_time,
    }
}

/// The folder in which a loop works is the best name that it has without a file.
fn name(dir: &Path) -> String {
    let name = kebab_case(&dir.file_name().unwrap_or_default().to_string_lossy());
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

/// The manifest's path, for whoever reads the record elsewhere.
fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_: io::Error| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
