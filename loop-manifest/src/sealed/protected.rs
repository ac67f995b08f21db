//! The protected paths of one run.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Component, Path, PathBuf},
};

use loop_guardrails::policy::command::simple_commands;
use loop_snapshots::{Origin, Protection};

use super::{
    conventions::{BUILT, INSTALLED, INTERPRETERS, MERGED, PROTECTED, PYTHON_MODULES},
    documents,
    patterns::Patterns,
};
use crate::{context::ExecutionContext, plan::SealPlan};

/// What the conventions, the command and the manifest protect.
#[derive(Debug)]
pub(super) struct ProtectedPaths {
    protected: Patterns,
    merged: Patterns,
    built: Patterns,
    modules: BTreeSet<&'static str>,
}

impl ProtectedPaths {
    /// Returns what the plan protects of the folder of this context, which `command` judges.
    pub(super) fn of(plan: &SealPlan, command: &str, cx: &ExecutionContext) -> Self {
        let named = named_files(command, cx.folder());
        let folders = program_folders(cx);
        let manifest = cx.executed().and_then(|file| file.strip_prefix(cx.folder()).ok()).map(line_of);
        let lines = PROTECTED.iter().chain(INSTALLED).map(|line| (*line).to_owned());
        let lines = lines.chain(named.iter().chain(&folders).map(|path| line_of(path))).chain(manifest);
        let mut protected = Patterns::default();
        let mut merged = Patterns::default();
        for line in lines.chain(plan.protect.iter().cloned()) {
            // Those of the manifest are valid, and the others are ours.
            let _ = protected.add(&line);
        }
        let exceptions = plan.protect.iter().filter(|line| line.starts_with('!'));
        for line in MERGED.iter().copied().chain(exceptions.map(String::as_str)) {
            let _ = merged.add(line);
        }
        let mut built = Patterns::default();
        for line in BUILT {
            let _ = built.add(line);
        }
        Self { protected, merged, built, modules: PYTHON_MODULES.split_ascii_whitespace().collect() }
    }

    /// Returns whether a new file replaces a module of Python or a tool for tests.
    fn replaces_module(&self, path: &Path) -> bool {
        let at_top = path.strip_prefix("src").unwrap_or(path);
        let mut steps = at_top.components().filter_map(|step| match step {
            Component::Normal(name) => name.to_str(),
            _ => None,
        });
        let is_code = path.extension().is_some_and(|end| end == "py" || end == "so");
        match (steps.next(), steps.next()) {
            (Some(name), None) => is_code && self.is_module(name.split('.').next().unwrap_or(name)),
            (Some(name), Some(_)) => is_code && self.is_module(name),
            _ => false,
        }
    }

    fn is_module(&self, name: &str) -> bool {
        self.modules.contains(name)
    }
}

impl Protection for ProtectedPaths {
    fn origin(&self, path: &Path, is_new: bool) -> Origin {
        match self.protected.decide(path) {
            Some(true) => return Origin::First,
            Some(false) => return Origin::Judged,
            None => {}
        }
        if self.built.decide(path) == Some(true) {
            Origin::Built
        } else if self.merged.decide(path) == Some(true) {
            Origin::Merged
        } else if is_new && self.replaces_module(path) {
            Origin::First
        } else {
            Origin::Judged
        }
    }

    fn merge(&self, path: &Path, first: Option<&[u8]>, judged: &[u8]) -> Option<Vec<u8>> {
        let name = path.file_name()?.to_str()?;
        let first = match first {
            Some(first) => Some(str::from_utf8(first).ok()?),
            None => None,
        };
        documents::merge(name, first, str::from_utf8(judged).ok()?).map(String::into_bytes)
    }
}

/// A path as a pattern that matches nothing else.
fn line_of(path: &Path) -> String {
    format!("/{}", glob::Pattern::escape(&path.to_string_lossy()))
}

/// The scripts in the folder that a command runs.
pub(super) fn named_files(command: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for words in words_of(command) {
        let Some((program, arguments)) = words.split_first() else { continue };
        let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or(program);
        let name = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
        let is_interpreter = INTERPRETERS.contains(&name) || program == ".";
        let script = is_interpreter.then(|| arguments.iter().find(|word| !word.starts_with('-'))).flatten();
        let makes = matches!(name, "make" | "gmake" | "just" | "task" | "rake");
        let file_after = |flag: &str| arguments.iter().skip_while(move |word| *word != flag).nth(1);
        let made = ["-f", "--file", "--makefile", "--justfile"].into_iter().filter(|_| makes);
        let files = made.filter_map(file_after);
        let called = words.iter().filter(|word| word.contains('/') && is_executable(&folder.join(word)));
        for word in script.into_iter().chain(files).chain(called) {
            let path = Path::new(word);
            let below = path.strip_prefix(folder).unwrap_or(path);
            let below: PathBuf = below.components().filter(|step| *step != Component::CurDir).collect();
            let is_below = below.components().all(|step| matches!(step, Component::Normal(_)));
            if is_below && !below.as_os_str().is_empty() && folder.join(&below).is_file() {
                found.push(below);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The commands in a line, each with its program as it is written.
fn words_of(command: &str) -> Vec<Vec<String>> {
    // These are without the programs that start others, and the programs are without their folders.
    let plain = simple_commands(command)
        .into_iter()
        .map(|found| std::iter::once(found.program).chain(found.arguments).collect());
    let parts = command.split([';', '&', '|', '\n', '(', ')']);
    let written = parts.filter_map(|part| shlex::split(part.trim()));
    plain.chain(written).filter(|words: &Vec<String>| !words.is_empty()).collect()
}

/// The folders in the folder in which programs are looked for.
fn program_folders(cx: &ExecutionContext) -> Vec<PathBuf> {
    let path = cx.variable("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).map(|path| cx.folder().join(path));
    let below = folders.filter_map(|path| path.strip_prefix(cx.folder()).map(Path::to_owned).ok());
    below.filter(|path| !path.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use loop_agents::process::Supervisor;

    use super::*;
    use crate::plan::{MinTests, OnProtectedChange};

    fn protected(command: &str, protect: &[&str], files: &[&str]) -> ProtectedPaths {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let cx = ExecutionContext::new(folder.path(), Supervisor::new("run-1")).unwrap();
        let plan = SealPlan {
            protect: protect.iter().map(|line| (*line).to_owned()).collect(),
            min_tests: MinTests::Count,
            on_change: OnProtectedChange::Restore,
            setup: None,
        };
        ProtectedPaths::of(&plan, command, &cx)
    }

    #[test]
    fn each_path_has_the_origin_that_the_conventions_say() {
        let protected = protected(
            "./check.sh && node tools/verify.js",
            &["!tests/scratch/**"],
            &["check.sh", "tools/verify.js"],
        );
        for (path, is_new, expected) in [
            ("check.sh", false, Origin::First),
            ("tools/verify.js", false, Origin::First),
            ("tools/other.js", false, Origin::Judged),
            ("tests/scratch/a.py", true, Origin::Judged),
            ("src/lib.rs", false, Origin::Judged),
            ("src/a.test.ts", true, Origin::First),
            ("target/debug/x", true, Origin::Built),
            ("app/package.json", false, Origin::Merged),
            ("unittest.py", true, Origin::First),
            ("unittest/__init__.py", true, Origin::First),
            ("unittest.cpython-312-x86_64-linux-gnu.so", true, Origin::First),
            ("unittest/notes.md", true, Origin::Judged),
            ("json/data.py", false, Origin::Judged),
            ("app/types.py", true, Origin::Judged),
            ("node_modules/jest/index.js", true, Origin::First),
        ] {
            assert_eq!(protected.origin(Path::new(path), is_new), expected, "{path}");
        }
    }

    #[test]
    fn an_exception_frees_a_document_and_a_script() {
        let protected = protected("python3 main.py", &["!package.json", "!main.py"], &["main.py"]);
        assert_eq!(protected.origin(Path::new("package.json"), false), Origin::Judged);
        assert_eq!(protected.origin(Path::new("main.py"), false), Origin::Judged);
    }

    #[test]
    fn a_command_names_the_scripts_that_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["check.sh", "verify.py", "ci.mk", "main.c"] {
            let path = folder.path().join(file);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for (command, expected) in [
            ("./check.sh", vec!["check.sh"]),
            ("sh -eu check.sh --all", vec!["check.sh"]),
            ("timeout 60 python3.12 verify.py", vec!["verify.py"]),
            ("make -f ci.mk && ./check.sh", vec!["check.sh", "ci.mk"]),
            ("env X=1 bash ./check.sh | tee log", vec!["check.sh"]),
            ("cc main.c -o main", vec![]),
            ("ruff check main.c", vec![]),
            ("../check.sh", vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(PathBuf::from).collect();
            assert_eq!(named_files(command, folder.path()), expected, "{command}");
        }
    }
}
