//! Programs that PATH finds in the folder.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

use super::named::{NamedPaths, line_of};
use crate::context::ExecutionContext;

/// Returns lines for the programs that PATH finds in the folder, for commands in its folders.
///
/// A folder that is there for programs is protected. If a folder with other files is on PATH, as with `PATH=.:$PATH`, only files
/// with the names of other programs are.
pub(super) fn program_lines(cx: &ExecutionContext, named: &NamedPaths) -> BTreeSet<String> {
    let path = cx.variable("PATH").unwrap_or_default();
    let own = named.programs.iter().map(PathBuf::from);
    let entries: Vec<_> = std::env::split_paths(&path).chain(own).collect();
    let folders = &named.folders;
    let (mut lines, mut open) = (BTreeSet::new(), BTreeSet::new());
    for entry in &entries {
        let steps: PathBuf = entry.components().filter(|step| *step != Component::CurDir).collect();
        let bases = if entry.is_absolute() {
            vec![Path::new("")]
        } else {
            folders.iter().map(PathBuf::as_path).collect()
        };
        for base in bases.into_iter().chain([Path::new("")]) {
            let place = cx.folder().join(base).join(&steps);
            let Ok(below) = place.strip_prefix(cx.folder()) else { continue };
            if below == base {
                open.insert(below.to_owned());
            } else {
                lines.insert(line_of(below));
            }
        }
    }
    let others = entries.iter().filter(|entry| entry.is_absolute() && !entry.starts_with(cx.folder()));
    let names: BTreeSet<_> =
        if open.is_empty() { BTreeSet::new() } else { others.flat_map(|entry| names_in(entry)).collect() };
    lines.extend(open.iter().flat_map(|folder| names.iter().map(|name| line_of(&folder.join(name)))));
    lines
}

fn names_in(folder: &Path) -> Vec<OsString> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

#[cfg(test)]
mod tests {
    use loop_agents::process::Supervisor;

    use super::*;

    #[test]
    fn programs_on_a_path_into_the_folder_are_those_of_the_start() {
        let (folder, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(tools.path().join("python9"), "").unwrap();
        let path = format!(".:bin::{}", tools.path().display());
        let cx = ExecutionContext::new(folder.path(), Supervisor::new("run-1")).unwrap();
        let cx = cx.with_variables([("PATH".into(), path.into())]);
        let mut named = NamedPaths { folders: ["sub".into(), "".into()].into(), ..NamedPaths::default() };
        let expected = ["/bin", "/python9", "/sub/bin", "/sub/python9"].map(str::to_owned);
        assert_eq!(program_lines(&cx, &named), expected.into());
        named.programs.insert("more".to_owned());
        assert!(program_lines(&cx, &named).contains("/sub/more"));
    }
}
