//! `loop init --from`: converts the settings of Harvey.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_manifest::{Format, init::HarveySettings};

use super::{STDOUT, write};
use crate::{
    args::InitArgs,
    command::{Failure, usage},
    exit,
    view::{self, text},
};

/// The file of the project's settings.
const SETTINGS: &str = "loop.toml";

/// The default of `--out`, which is for manifests.
const MANIFEST: &str = "loop.yaml";

pub(super) fn convert(from: &Path, args: &InitArgs) -> Result<ExitCode, Failure> {
    let out = if args.out == Path::new(MANIFEST) { PathBuf::from(SETTINGS) } else { args.out.clone() };
    let is_stdout = out.as_os_str() == STDOUT;
    if !is_stdout && Format::of(&out) != Some(Format::Toml) {
        return Err(usage!(
            "--out {}: settings are written in TOML, so the name has to end in .toml",
            out.display()
        ));
    }
    let settings = HarveySettings::read(from)?;
    match &settings.project {
        Some(text) if is_stdout => drop(view::print_or_warn(text)),
        Some(text) => {
            write(&out, text, args.force)?;
            view::say(&format!("{} {}", view::paint(view::GOOD, "wrote"), out.display()));
        }
        None => view::say("no setting of the file belongs into a project's loop.toml, so none was written"),
    }
    report(&settings);
    Ok(ExitCode::from(exit::OK))
}

/// Lists what a person has to do.
fn report(settings: &HarveySettings) {
    if !settings.user.is_empty() {
        view::say(
            "a project cannot allow more: add these lines to [policy] in your own settings, if you want them",
        );
        settings.user.iter().for_each(|line| view::say(&format!("  {}", text::printable(line))));
    }
    if !settings.without_equivalent.is_empty() {
        view::say("these settings have no equivalent:");
        settings
            .without_equivalent
            .iter()
            .for_each(|path| view::say(&format!("  {}", text::printable(path))));
    }
}
