//! The default manifest.

use std::path::{Path, PathBuf};

use crate::command::{Failure, usage};
use loop_manifest::settings;

/// The file names of a default manifest.
const NAMES: [&str; 4] = ["loop.yaml", "loop.yml", "loop.toml", "loop.json"];

/// Returns the only manifest in the current folder with a default name. `command` is the user's command, for the
/// advice. Without the flags in `lacking`, the command also needs a manifest.
pub(crate) fn find(command: &str, lacking: &[&str]) -> Result<PathBuf, Failure> {
    let is_manifest = |name: &&str| Path::new(name).exists() && !settings::only_settings(Path::new(name));
    let found: Vec<_> = NAMES.into_iter().filter(is_manifest).collect();
    match found.as_slice() {
        [name] => Ok(PathBuf::from(name)),
        [] if !lacking.is_empty() => Err(usage!(
            "this folder has no {}, and `{command}` without a manifest also needs {}\n  \
             add what is missing, or let `loop init` write a manifest",
            NAMES[0],
            lacking.iter().map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(" and ")
        )),
        [] if Path::new(settings::PROJECT_FILE).exists() => Err(usage!(
            "the loop.toml in this folder contains settings, but no manifest\n  \
             `loop init` writes one; `{command} MANIFEST` uses one from elsewhere\n  \
             with `--agent`, `--check` and `--max`, `{command}` needs none"
        )),
        [] => Err(usage!(
            "there is no {} in this folder\n  \
             `loop init` writes one; `{command} MANIFEST` uses one from elsewhere\n  \
             with `--agent`, `--check` and `--max`, `{command}` needs none",
            NAMES.join(", ").replace(", loop.json", " or loop.json")
        )),
        // Choosing one of them would be a guess.
        [first, ..] => Err(usage!(
            "there is more than one manifest in this folder: {}\n  name one, for example `{command} {first}`",
            found.join(", ")
        )),
    }
}

/// Returns whether `path` is the default manifest of the current folder.
pub(crate) fn is_default(path: &Path) -> bool {
    find("loop run", &[]).is_ok_and(|found| found == path)
}
