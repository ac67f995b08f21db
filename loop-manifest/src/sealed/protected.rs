//! The protected paths of one run.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use loop_snapshots::{Origin, PathFacts, Protection};

use super::{
    conventions::{self, BUILT, INSTALLED, MERGED, PYTHON_MODULES},
    documents,
    named::{NamedPaths, line_of},
    patterns::Patterns,
};
use crate::{context::ExecutionContext, plan::SealPlan};

/// The paths that the conventions, the command and the manifest protect.
#[derive(Debug)]
pub(super) struct ProtectedPaths {
    protected: Patterns,
    merged: Patterns,
    built: Patterns,
    modules: BTreeSet<&'static str>,
    /// The folders from which Python may import.
    roots: BTreeSet<PathBuf>,
    /// The folders that were modules of Go at the start.
    go_modules: BTreeSet<PathBuf>,
    folder: PathBuf,
}

impl ProtectedPaths {
    /// Returns what the plan protects of the folder of this context, of which `named` are the paths in its command.
    pub(super) fn of(plan: &SealPlan, command: &str, named: &NamedPaths, cx: &ExecutionContext) -> Self {
        let folders = program_folders(cx);
        let manifest = cx.executed().and_then(|file| file.strip_prefix(cx.folder()).ok()).map(line_of);
        let unittest = command.contains("unittest").then(|| "test*.py".to_owned());
        let lines =
            conventions::protected().chain(INSTALLED.iter().copied()).map(str::to_owned).chain(unittest);
        let lines = lines
            .chain(named.lines.iter().chain(&named.preferred).cloned())
            .chain(folders.iter().map(|path| line_of(path)));
        let own = plan.protect.iter().map(String::as_str);
        let exceptions = own.clone().filter(|line| line.starts_with('!'));
        let protected: Vec<_> = lines.chain(manifest).collect();
        let mut roots = named.folders.clone();
        roots.extend(named.folders.iter().flat_map(|folder| ["src", "lib"].map(|name| folder.join(name))));
        Self {
            protected: Patterns::of(protected.iter().map(String::as_str).chain(own)),
            merged: Patterns::of(MERGED.iter().copied().chain(exceptions)),
            built: Patterns::of(BUILT.iter().copied()),
            modules: PYTHON_MODULES.split_ascii_whitespace().collect(),
            roots,
            go_modules: named.go_modules.clone(),
            folder: cx.folder().to_owned(),
        }
    }

    /// Protects nothing of this folder. Build output is still no part of a state.
    pub(super) fn nothing(folder: &Path) -> Self {
        Self {
            protected: Patterns::default(),
            merged: Patterns::default(),
            built: Patterns::of(BUILT.iter().copied()),
            modules: BTreeSet::new(),
            roots: BTreeSet::new(),
            go_modules: BTreeSet::new(),
            folder: folder.to_owned(),
        }
    }

    /// Returns whether a new file, or a link, replaces a module of Python or a tool for tests.
    fn replaces_module(&self, path: &Path, is_link: bool) -> bool {
        let is_code = is_link || path.extension().is_some_and(|end| end == "py" || end == "so");
        is_code
            && self.roots.iter().filter_map(|root| path.strip_prefix(root).ok()).any(|below| {
                let name = below.iter().next().and_then(OsStr::to_str).unwrap_or_default();
                let name = name.split('.').next().unwrap_or(name);
                self.modules.contains(name) || name.starts_with("pytest_") || name.starts_with("_pytest")
            })
    }

    /// Returns whether a program made the path. A folder `target` is one of cargo or Maven only beside their files.
    fn is_built(&self, path: &Path) -> bool {
        let is_target = |above: &&Path| above.file_name().is_some_and(|name| name == "target");
        let is_output = |above: &Path| {
            let beside = self.folder.join(above.parent().unwrap_or(Path::new("")));
            ["Cargo.toml", "pom.xml", "build.sbt"].iter().any(|name| beside.join(name).exists())
        };
        self.built.decide(path) == Some(true) || path.ancestors().filter(is_target).any(is_output)
    }
}

impl Protection for ProtectedPaths {
    fn origin(&self, path: &Path, facts: PathFacts) -> Origin {
        if self.is_built(path) {
            return Origin::Built;
        }
        match self.protected.decide(path) {
            Some(true) => Origin::First,
            Some(false) => Origin::Judged,
            // A new document in a new folder configures nothing that was there.
            None if self.merged.decide(path) == Some(true) && (!facts.is_new || facts.is_in_known_folder) => {
                Origin::Merged
            }
            None if (facts.is_new || facts.is_link) && self.replaces_module(path, facts.is_link) => {
                Origin::First
            }
            None => Origin::Judged,
        }
    }

    fn merge(&self, path: &Path, first: Option<&[u8]>, judged: &[u8]) -> Option<Vec<u8>> {
        let name = path.file_name()?.to_str()?;
        // Another module would take the folder out of the one that is tested.
        let is_in_module = || path.ancestors().skip(2).any(|above| self.go_modules.contains(above));
        if name == "go.mod" && first.is_none() && is_in_module() {
            return None;
        }
        let first = match first {
            Some(first) => Some(str::from_utf8(first).ok()?),
            None => None,
        };
        documents::merge(name, first, str::from_utf8(judged).ok()?).map(String::into_bytes)
    }
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

    use super::{super::named::Subject, *};
    use crate::plan::{MinTests, OnProtectedChange};

    fn protected(command: &str, protect: &[&str], files: &[&str]) -> ProtectedPaths {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
        }
        let cx = ExecutionContext::new(folder.path(), Supervisor::new("run-1")).unwrap();
        let plan = SealPlan {
            protect: protect.iter().map(|line| (*line).to_owned()).collect(),
            min_tests: MinTests::Count,
            on_change: OnProtectedChange::Restore,
            setup: None,
        };
        let subject = Subject { commands: vec![command.to_owned()], ..Subject::default() };
        ProtectedPaths::of(&plan, command, &NamedPaths::of(&subject, folder.path()), &cx)
    }

    fn facts(is_new: bool, is_link: bool) -> PathFacts {
        PathFacts { is_new, is_link, is_in_known_folder: false }
    }

    #[test]
    fn new_documents_judge_nothing_in_folders_that_were_there() {
        let protected = protected("go test ./...", &[], &["go.mod", "sub/a.go"]);
        let known = PathFacts { is_in_known_folder: true, ..PathFacts::NEW };
        for name in ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "requirements-dev.txt"] {
            let path = Path::new("sub").join(name);
            assert_eq!(protected.origin(&path, known), Origin::Merged, "{name}");
            assert_eq!(protected.origin(&path, PathFacts::NEW), Origin::Judged, "{name}");
        }
        assert_eq!(protected.merge(Path::new("sub/go.mod"), None, b"module x\n"), None);
        let merged = protected.merge(Path::new("go.mod"), Some(b"module a\n"), b"module x\n");
        assert_eq!(merged.as_deref(), Some(&b"module a\n"[..]));
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
            ("src/target/mod.rs", true, Origin::Judged),
            ("__pycache__/x", true, Origin::Built),
            ("_heapq.py", true, Origin::First),
            ("pytest_cov/plugin.py", true, Origin::First),
            ("new/package.json", true, Origin::Judged),
            ("app/package.json", false, Origin::Merged),
            ("unittest.py", true, Origin::First),
            ("unittest/__init__.py", true, Origin::First),
            ("unittest.cpython-312-x86_64-linux-gnu.so", true, Origin::First),
            ("unittest/notes.md", true, Origin::Judged),
            ("json/data.py", false, Origin::Judged),
            ("app/types.py", true, Origin::Judged),
            ("node_modules/jest/index.js", true, Origin::First),
            ("node_modules/.vite/vitest/results.json", false, Origin::Built),
            ("web/node_modules/.cache/babel/a.json", true, Origin::Built),
        ] {
            assert_eq!(protected.origin(Path::new(path), facts(is_new, false)), expected, "{path}");
        }
    }

    #[test]
    fn an_exception_frees_a_document_and_a_script() {
        let protected = protected("python3 main.py", &["!package.json", "!main.py"], &["main.py"]);
        assert_eq!(protected.origin(Path::new("package.json"), facts(false, false)), Origin::Judged);
        assert_eq!(protected.origin(Path::new("main.py"), facts(false, false)), Origin::Judged);
    }
}
