//! Files that judge because of what is in them, and because of where runners look for tests.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use regex::Regex;

use super::{
    super::{conventions::TESTS, discovery::Discovery, patterns::Patterns, references, scripts},
    Scope, Search, line_of,
};

/// Marks of a module that changes how pytest works.
const HOOKS: &[&str] = &["def pytest_", "pytest.hookimpl", "pytest.fixture"];

impl Search<'_> {
    /// Protects the tests that a configuration in `own` finds among these files.
    pub(super) fn discovered(&mut self, found: &Discovery, own: &Path, files: &[PathBuf]) {
        let top = line_of(own);
        for pattern in &found.patterns {
            let line = if pattern.contains('/') {
                format!("{}/{}", top.trim_end_matches('/'), pattern.trim_start_matches('/'))
            } else {
                pattern.clone()
            };
            self.named.lines.insert(line);
        }
        for place in found.places.iter().filter(|place| !scripts::says_that_it_is_judged(Path::new(place))) {
            if let Some(path) = self.below(own, place).filter(|path| !self.is_judged(path)) {
                self.add(&path, true, &Scope { base: own.to_owned(), ..Scope::default() });
            }
        }
        // In a program, each `\` of a text is written twice.
        let expressions = found.expressions.iter().map(|text| text.replace("\\\\", "\\"));
        let expressions: Vec<_> = expressions.filter_map(|text| Regex::new(&text).ok()).collect();
        for file in files {
            let place = format!("/{}", file.display());
            if !self.is_judged(file) && expressions.iter().any(|expression| expression.is_match(&place)) {
                self.add(file, false, &Scope::default());
            }
        }
        self.named
            .roots
            .extend(found.roots.iter().filter_map(|root| self.below(own, root)).collect::<Vec<_>>());
    }

    /// Looks into the files of the folder.
    pub(super) fn contents(&mut self, files: &[PathBuf]) {
        let tests = Patterns::of(TESTS.iter().copied().chain(["conftest.py"]));
        let end = |path: &Path| path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_owned();
        let mut python = Vec::new();
        for file in files {
            let is_test = tests.decide(file) == Some(true);
            match &*end(file) {
                "py" => {
                    self.named.has_python = true;
                    python.extend(is_test.then_some(file));
                }
                // A package for tests only.
                "go" if !is_test && self.has(file, &["\"testing\""]) => {
                    self.named.lines.insert(line_of(file));
                }
                "rs" if file.ends_with("test.rs") && self.has(file, &["#[test]"]) => {
                    self.named.lines.insert(line_of(file));
                }
                _ => {}
            }
        }
        for test in &python {
            self.import_root(test);
        }
        let all: Vec<_> = files.iter().filter(|file| tests.decide(file) == Some(true)).collect();
        self.expected_modules(&all, files);
        self.helpers_of_tests(files, &tests);
    }

    fn has(&self, file: &Path, marks: &[&str]) -> bool {
        let text = scripts::text_of(&self.folder.join(file));
        marks.iter().any(|mark| text.contains(mark))
    }

    /// Notes the folder from which a test imports: the first one above it that is no package.
    fn import_root(&mut self, test: &Path) {
        let above: Vec<_> = test.ancestors().skip(1).map(Path::to_owned).collect();
        let root = above.iter().find(|folder| !self.is_file(&folder.join("__init__.py")));
        self.named.roots.extend(root.cloned());
        self.named.above_tests.extend(above);
    }

    /// Notes the modules that tests import and that are not there: the agent has to write them, whatever their names are.
    fn expected_modules(&mut self, tests: &[&PathBuf], files: &[PathBuf]) {
        let mut places: BTreeSet<PathBuf> = BTreeSet::new();
        let mut modules: BTreeSet<String> = BTreeSet::new();
        for test in tests {
            let text = scripts::text_of(&self.folder.join(test));
            if test.extension().is_some_and(|end| end == "py") {
                let absolute = references::python_imports(&text).into_iter();
                modules.extend(absolute.filter(|module| !module.starts_with('.')));
            } else {
                let own = test.parent().unwrap_or(Path::new(""));
                let paths = references::javascript_imports(&text);
                places.extend(paths.iter().filter_map(|path| self.below(own, path)));
            }
        }
        let top = PathBuf::new();
        let roots: BTreeSet<_> = self.named.roots.iter().chain([&top]).collect();
        let modules = modules.iter().map(|module| module.replace('.', "/"));
        places.extend(modules.flat_map(|path| roots.iter().map(|root| root.join(&path)).collect::<Vec<_>>()));
        let known = places_of(files);
        let is_there = |path: &Path| {
            known.contains(path) || is_module(path) && known.contains(path.with_extension("").as_path())
        };
        let missing = places.iter().filter_map(|place| {
            let steps: Vec<_> = place.ancestors().filter(|path| !path.as_os_str().is_empty()).collect();
            steps.into_iter().rev().find(|path| !is_there(path)).map(|path| path.with_extension(""))
        });
        self.named.expected.extend(missing);
    }

    /// Protects the modules that a `conftest.py` in `own` takes hooks and fixtures from.
    pub(super) fn hooks(&mut self, text: &str, own: &Path) {
        let roots: BTreeSet<_> =
            own.ancestors().map(Path::to_owned).chain(self.named.roots.clone()).collect();
        for module in references::python_imports(text) {
            let takes_all = text.lines().any(|line| line.trim() == format!("from {module} import *"));
            let name = module.trim_start_matches('.').replace('.', "/");
            for root in &roots {
                let places = scripts::module_places(&root.join(&name));
                let Some(found) = places.iter().find(|place| self.is_file(place)) else { continue };
                let is_all = takes_all && !found.ends_with("__init__.py");
                if is_all || self.has(found, HOOKS) || scripts::says_that_it_helps(&root.join(&name)) {
                    self.add_first(&places, &Scope::default());
                }
            }
        }
    }
}

/// Returns the places of files and of the folders above them, and those of modules without their endings.
fn places_of(files: &[PathBuf]) -> HashSet<PathBuf> {
    let mut places = HashSet::new();
    for file in files {
        if is_module(file) {
            places.insert(file.with_extension(""));
        }
        for place in file.ancestors() {
            if !places.insert(place.to_owned()) {
                break;
            }
        }
    }
    places
}

fn is_module(file: &Path) -> bool {
    const ENDS: &[&str] = &["py", "js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "json"];
    file.extension().and_then(|end| end.to_str()).is_some_and(|end| ENDS.contains(&end))
}
