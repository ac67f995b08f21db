//! The manifest that a command uses if nobody names one.

use std::path::{Path, PathBuf};

use crate::settings;

/// The file names of a default manifest.
const NAMES: [&str; 4] = ["loop.yaml", "loop.yml", "loop.toml", "loop.json"];

/// Why a folder has no default manifest. It says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoDefaultManifest(String);

/// Returns the only manifest in `folder` with a default name. `command` is the user's command, for the advice. Without
/// the flags in `lacking`, the command also needs a manifest.
///
/// # Errors
/// The folder has no such manifest, or several.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let find = || loop_manifest::default_manifest(folder.path(), "loop run", &[]);
/// assert!(find().unwrap_err().to_string().starts_with("there is no loop.yaml,"));
/// std::fs::write(folder.path().join("loop.yml"), "")?;
/// assert_eq!(find().unwrap(), folder.path().join("loop.yml"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn default_manifest(
    folder: &Path,
    command: &str,
    lacking: &[&str],
) -> Result<PathBuf, NoDefaultManifest> {
    let found = found_in(folder);
    Err(NoDefaultManifest(match found.as_slice() {
        [name] => return Ok(folder.join(name)),
        [] if !lacking.is_empty() => format!(
            "this folder has no {}, and `{command}` without a manifest also needs {}\n  \
             add what is missing, or let `loop init` write a manifest",
            NAMES[0],
            lacking.iter().map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(" and ")
        ),
        [] if folder.join(settings::PROJECT_FILE).exists() => format!(
            "the loop.toml in this folder contains settings, but no manifest\n  \
             `loop init` writes one; `{command} MANIFEST` uses one from elsewhere\n  \
             with `--agent`, `--check` and `--max`, `{command}` needs none"
        ),
        [] => format!(
            "there is no {} in this folder\n  \
             `loop init` writes one; `{command} MANIFEST` uses one from elsewhere\n  \
             with `--agent`, `--check` and `--max`, `{command}` needs none",
            NAMES.join(", ").replace(", loop.json", " or loop.json")
        ),
        // Choosing one of them would be a guess.
        [first, ..] => format!(
            "there is more than one manifest in this folder: {}\n  name one, for example `{command} {first}`",
            found.join(", ")
        ),
    }))
}

/// Describes the default manifest in `folder` that flags which are a whole loop keep from being used, if there is one.
/// Its limits do not hold then, although they hold as soon as one of the flags is missing.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("loop.yaml"), "")?;
/// let unused = loop_manifest::unused_manifest(folder.path(), "loop run").unwrap();
/// assert!(unused.starts_with("loop.yaml is not used"), "{unused}");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn unused_manifest(folder: &Path, command: &str) -> Option<String> {
    let name = *found_in(folder).first()?;
    Some(format!(
        "{name} is not used, nor are its limits: `--agent` or `--model`, `--check` and `--max` together are a loop \
         without a manifest\n  to change this manifest with them, name it: `{command} {name} --max N`"
    ))
}

fn found_in(folder: &Path) -> Vec<&'static str> {
    let is_manifest = |name: &&str| {
        let path = folder.join(name);
        path.exists() && !settings::only_settings(&path)
    };
    NAMES.into_iter().filter(is_manifest).collect()
}
