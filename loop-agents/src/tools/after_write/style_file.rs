//! The nearest file with the style of a formatter.
//!
//! The style belongs to the workspace, and some of these files are programs. A formatter would run them, so only data is
//! handed to it.

use std::path::PathBuf;

use loop_guardrails::policy::{Verb, workspace::Workspace};

use super::super::read_file;

/// The largest file with a style, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The files with data for `prettier`, in the order in which it looks for them.
const PRETTIER_DATA: &[&str] = &[
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.yaml",
    ".prettierrc.yml",
    ".prettierrc.json5",
    ".prettierrc.toml",
];

/// The files with which `prettier` may run programs.
const PRETTIER_PROGRAMS: &[&str] = &[
    ".prettierrc.js",
    ".prettierrc.cjs",
    ".prettierrc.mjs",
    ".prettierrc.ts",
    ".prettierrc.cts",
    ".prettierrc.mts",
    "prettier.config.js",
    "prettier.config.cjs",
    "prettier.config.mjs",
    "prettier.config.ts",
    "prettier.config.cts",
    "prettier.config.mts",
];

/// The style for `prettier`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PrettierStyle {
    /// The project says nothing.
    Default,
    /// The whole path of a file with data.
    Data(PathBuf),
    /// It is a program, or loads one.
    Program(String),
}

/// Returns the whole path of the nearest readable file with one of these names, from the folder of a file up to the
/// workspace.
pub(super) fn nearest(workspace: &Workspace, path: &str, names: &[&str]) -> Option<PathBuf> {
    let mut candidates = folders(path).flat_map(|folder| names.iter().map(move |name| join(folder, name)));
    Some(workspace.root().join(candidates.find(|name| is_there(workspace, name))?))
}

/// Returns the style of a file for `prettier`.
pub(super) fn of_prettier(workspace: &Workspace, path: &str) -> PrettierStyle {
    for folder in folders(path) {
        let within = |name: &&str| join(folder, name);
        if let Some(program) = PRETTIER_PROGRAMS.iter().map(within).find(|name| is_there(workspace, name)) {
            return PrettierStyle::Program(program);
        }
        if let Some(data) = PRETTIER_DATA.iter().map(within).find(|name| is_there(workspace, name)) {
            let is_data = text(workspace, &data).is_some_and(|text| !text.contains("plugins"));
            let whole = workspace.root().join(&data);
            return if is_data { PrettierStyle::Data(whole) } else { PrettierStyle::Program(data) };
        }
        let package = join(folder, "package.json");
        if text(workspace, &package).is_some_and(|text| text.contains("\"prettier\":")) {
            return PrettierStyle::Program(package);
        }
    }
    PrettierStyle::Default
}

/// Returns the edition of the nearest package of Cargo; `None` if none is named.
pub(super) fn rust_edition(workspace: &Workspace, path: &str) -> Option<String> {
    folders(path).find_map(|folder| {
        let manifest = text(workspace, &join(folder, "Cargo.toml"))?;
        let value = manifest
            .lines()
            .find_map(|line| line.trim().strip_prefix("edition")?.trim().strip_prefix('='))?;
        let edition = value.trim().trim_matches(['"', '\'']);
        ["2015", "2018", "2021", "2024"].contains(&edition).then(|| edition.to_owned())
    })
}

/// Returns the folder of a file, and those above it up to the workspace, which is the empty text.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let folder = match rest? {
            "" => return None,
            path => path.rsplit_once('/').map_or("", |(folder, _)| folder),
        };
        rest = Some(folder);
        Some(folder)
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn is_there(workspace: &Workspace, name: &str) -> bool {
    workspace.root().join(name).symlink_metadata().is_ok() && workspace.check(name, Verb::Read).is_ok()
}

fn text(workspace: &Workspace, name: &str) -> Option<String> {
    read_file::whole(workspace.read(name).ok()?.file, name, MAX_BYTES).ok()
}
