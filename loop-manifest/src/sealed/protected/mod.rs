//! The protected paths of one run.

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use loop_snapshots::{Origin, PathFacts, Protection};

use super::{
    conventions::{self, AROUND, BUILT, CONFIGURATION, DATA, INSTALLED, MERGED, PYTHON_MODULES},
    documents, moves,
    named::{NamedPaths, UNITTEST, line_of},
    path_programs::program_lines,
    patterns::Patterns,
};
use crate::{context::ExecutionContext, plan::SealPlan};

/// The paths that the conventions, the command and the manifest protect.
#[derive(Debug)]
pub(super) struct ProtectedPaths {
    protected: Patterns,
    merged: Patterns,
    built: Patterns,
    /// The names of modules that a new file would replace, and those that are the project's.
    modules: BTreeSet<String>,
    own_modules: BTreeSet<PathBuf>,
    /// The folders above tests of unittest, which asks their packages for the tests.
    packages: BTreeSet<PathBuf>,
    /// The folders from which Python may import.
    roots: BTreeSet<PathBuf>,
    /// Those of the protected paths that do not judge by the name of a test alone.
    certain: Patterns,
    /// The places of modules that tests of the start want to have.
    expected: BTreeSet<PathBuf>,
    /// The folders that were modules of Go at the start.
    go_modules: BTreeSet<PathBuf>,
    /// Whether tests may move with their folders: only if it is known how many of them have to run.
    may_move: Arc<AtomicBool>,
    folder: PathBuf,
}

impl ProtectedPaths {
    /// Returns what the plan protects of the folder of this context, of which `named` are the paths that judge.
    pub(super) fn of(plan: &SealPlan, named: &NamedPaths, cx: &ExecutionContext) -> Self {
        let programs = program_lines(cx, named);
        let manifest = cx.executed().and_then(|file| file.strip_prefix(cx.folder()).ok()).map(line_of);
        let lines = conventions::protected().chain(INSTALLED.iter().copied()).map(str::to_owned);
        let lines = lines.chain(named.lines.iter().chain(&named.preferred).cloned()).chain(programs);
        let own = plan.protect.iter().map(String::as_str);
        let exceptions = own.clone().filter(|line| line.starts_with('!'));
        let protected: Vec<_> = lines.chain(manifest).collect();
        let written = plan.protect.iter().filter(|line| !line.starts_with('!'));
        let named_lines: Vec<_> = named
            .lines
            .iter()
            .filter(|line| *line != UNITTEST)
            .chain(&named.preferred)
            .chain(written)
            .cloned()
            .collect();
        let is_unittest = named.lines.contains(UNITTEST);
        Self {
            protected: Patterns::of(protected.iter().map(String::as_str).chain(own)),
            merged: Patterns::of(MERGED.iter().copied().chain(exceptions)),
            built: Patterns::of(BUILT.iter().copied()),
            modules: PYTHON_MODULES
                .split_ascii_whitespace()
                .map(str::to_owned)
                .chain(named.modules.clone())
                .collect(),
            own_modules: named.own_modules.clone(),
            packages: if is_unittest { named.above_tests.clone() } else { BTreeSet::new() },
            roots: named.python_roots(),
            certain: Patterns::of(
                CONFIGURATION.iter().chain(AROUND).copied().chain(named_lines.iter().map(String::as_str)),
            ),
            expected: named.expected.clone(),
            go_modules: named.go_modules.clone(),
            may_move: Arc::default(),
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
            own_modules: BTreeSet::new(),
            packages: BTreeSet::new(),
            roots: BTreeSet::new(),
            certain: Patterns::default(),
            expected: BTreeSet::new(),
            go_modules: BTreeSet::new(),
            may_move: Arc::default(),
            folder: folder.to_owned(),
        }
    }

    /// Returns the switch that allows tests to move with their folders. It is off at first.
    pub(super) fn moves(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.may_move)
    }

    /// Returns whether a new file, or a link, replaces a module of Python or a tool for tests.
    fn replaces_module(&self, path: &Path, is_link: bool) -> bool {
        let is_code = is_link || path.extension().is_some_and(|end| end == "py" || end == "so");
        is_code
            && path.ancestors().skip(1).filter(|above| self.roots.contains(*above)).any(|root| {
                let Ok(below) = path.strip_prefix(root) else { return false };
                let name = below.iter().next().and_then(OsStr::to_str).unwrap_or_default();
                let name = name.split('.').next().unwrap_or(name);
                let is_known = self.modules.contains(name)
                    || ["pytest_", "_pytest"].iter().any(|start| name.starts_with(start));
                is_known && !self.own_modules.contains(&root.join(name))
            })
    }

    /// Returns whether a new path is a module that a test wants, outside of folders for tests.
    fn is_expected(&self, path: &Path) -> bool {
        let is_wanted = |place: &&Path| {
            self.expected.contains(*place) || self.expected.contains(&place.with_extension(""))
        };
        let place = path.ancestors().find(is_wanted).and_then(Path::parent);
        place.is_some_and(|above| self.protected.decide(above) != Some(true))
            && self.certain.decide(path) != Some(true)
    }

    /// Returns whether a new path is a module of Rust with tests beside the sources, which could have them in it as well.
    fn is_within_sources(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "rs")
            && path.parent().is_some_and(|above| self.protected.decide(above) != Some(true))
            && self.certain.decide(path) != Some(true)
    }

    /// Returns whether unittest asks this package for the tests below it.
    fn asks_for_tests(&self, path: &Path) -> bool {
        path.ends_with("__init__.py") && path.parent().is_some_and(|above| self.packages.contains(above))
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

    /// Returns whether a new path is in a folder in which `CMake` builds.
    fn is_built_by_cmake(&self, path: &Path) -> bool {
        let folders = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        folders.into_iter().any(|above| self.folder.join(above).join("CMakeCache.txt").exists())
    }
}

impl Protection for ProtectedPaths {
    fn origin(&self, path: &Path, facts: PathFacts) -> Origin {
        if self.is_built(path) || facts.is_new && self.is_built_by_cmake(path) {
            return Origin::Built;
        }
        match self.protected.decide(path) {
            Some(true)
                if facts.is_new
                    && !facts.is_link
                    && (self.is_expected(path) || self.is_within_sources(path)) =>
            {
                Origin::Judged
            }
            Some(true) => Origin::First,
            Some(false) => Origin::Judged,
            // A new document in a new folder configures nothing that was there.
            None if self.merged.decide(path) == Some(true) && (!facts.is_new || facts.is_in_known_folder) => {
                Origin::Merged
            }
            None if self.asks_for_tests(path) => Origin::Merged,
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
        if name == "__init__.py" {
            let chooses = |text: &str| text.contains("load_tests");
            let chooses_anew = chooses(str::from_utf8(judged).ok()?) && !first.is_some_and(chooses);
            return (!chooses_anew).then(|| judged.to_owned());
        }
        let merged = documents::merge(name, first, str::from_utf8(judged).ok()?)?;
        let judges = |target: &str| {
            let place = path.with_file_name(target.trim_start_matches("./"));
            self.protected.decide(&place) == Some(true)
        };
        Some(documents::with_exports(name, first, merged, judges).into_bytes())
    }

    fn may_be_rewritten(&self, path: &Path) -> bool {
        let end = path.extension().and_then(OsStr::to_str);
        end.is_some_and(|end| DATA.contains(&end)) && self.certain.decide(path) != Some(true)
    }

    fn may_move(&self, from: &Path, to: &Path, path: &Path, (first, judged): (&[u8], &[u8])) -> bool {
        let places = [from.join(path), to.join(path)];
        self.may_move.load(Ordering::Relaxed)
            && !places.iter().any(|place| self.certain.decide(place) == Some(true) || self.is_built(place))
            && moves::is_searched(&places[1])
            && moves::are_same(from, to, first, judged)
    }
}
