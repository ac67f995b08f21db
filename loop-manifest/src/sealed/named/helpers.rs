//! Files that help tests and nothing else.
//!
//! A test imports what it tests and what helps it, and no rule tells them apart for certain. A file counts as a helper if only
//! tests import it, if no test has its name, if the task does not name it, and if its name or its text says that it is one.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;

use super::{
    super::{patterns::Patterns, references, scripts},
    Scope, Search,
    aliases::Alias,
};

/// The endings of programs in JavaScript and TypeScript.
const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"];

/// Texts in quotes.
static TEXTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"["'`]([^"'`\s]+)["'`]"#).ok());
/// Imports of packages that only tests import.
static FRAMEWORK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = "node:test|vitest|@jest/globals|chai|@playwright/test|@testing-library/";
    Regex::new(&format!(r#"(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*\(?\s*)["'`](?:{names})"#)).ok()
});
/// Files that a file of Rust takes into itself.
static INCLUDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:#\[\s*path\s*=\s*|\binclude(?:_str|_bytes)?!\s*[(\[{]\s*)"([^"\n]+)""#).ok()
});
/// Names in front of others in Rust.
static CALLED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\w+::").ok());
/// Modules of Rust that are there for tests only.
static MODULES_FOR_TESTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let path = r#"(?:#\[path\s*=\s*"([^"\n]+)"\]\s*)?"#;
    let attributes = r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?";
    Regex::new(&format!(r"#\[cfg\(test\)\]\s*{path}{attributes}mod\s+(\w+)\s*;")).ok()
});
/// The names of functions of Go.
static FUNCTIONS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^func (?:\([^)]*\) )?(\w+)").ok());

/// The programs of a folder: tests, and others.
struct Sources<'a> {
    tests: Vec<&'a PathBuf>,
    others: Vec<&'a PathBuf>,
    /// The others in Rust and Python by their names, and those in Go by their folders.
    modules: BTreeMap<&'a str, Vec<&'a PathBuf>>,
    packages: BTreeMap<&'a Path, Vec<&'a PathBuf>>,
    /// The folders of the modules of Go, with the names of the modules.
    go_modules: Vec<(PathBuf, String)>,
    /// The names of what tests are about.
    subjects: BTreeSet<&'a str>,
    aliases: Vec<Alias>,
}

impl<'a> Sources<'a> {
    fn of(search: &Search<'_>, files: &'a [PathBuf], judging: &Patterns) -> Self {
        let is_source =
            |file: &&PathBuf| ["py", "go", "rs"].contains(&end_of(file)) || SCRIPTS.contains(&end_of(file));
        let (tests, others): (Vec<_>, Vec<_>) =
            files.iter().filter(is_source).partition(|file| judging.decide(file) == Some(true));
        let (mut modules, mut packages) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for file in &others {
            match (end_of(file), file.parent()) {
                ("rs" | "py", _) => modules.entry(name_of(file)).or_default().push(*file),
                ("go", Some(above)) => packages.entry(above).or_default().push(*file),
                _ => {}
            }
        }
        let go_modules = search.named.go_modules.iter().filter_map(|folder| {
            let document = search.text(&folder.join("go.mod"));
            let name = document.lines().find_map(|line| line.strip_prefix("module "))?;
            Some((folder.clone(), name.trim().to_owned()))
        });
        let go_modules = go_modules.collect();
        let subjects = tests.iter().filter_map(|test| subject_of(test)).collect();
        let aliases = search.aliases(files);
        Self { tests, others, modules, packages, go_modules, subjects, aliases }
    }

    /// Returns whether a test is about this file, as its name says.
    fn have_test_of(&self, file: &Path) -> bool {
        self.subjects.contains(name_of(file))
    }
}

impl Search<'_> {
    /// Protects what helps tests and nothing else.
    pub(super) fn helpers_of_tests(&mut self, files: &[PathBuf], judging: &Patterns) {
        let sources = Sources::of(self, files, judging);
        let (mut named, mut included) = (BTreeSet::new(), BTreeSet::new());
        for test in &sources.tests {
            let text = self.text(test);
            named.extend(self.imported(test, &text, &sources));
            included.extend(self.taken_in(test, &text));
        }
        named.retain(|file| self.says_that_it_helps(file) && !sources.have_test_of(file));
        included.retain(|file| !scripts::says_that_it_is_judged(file));
        named.append(&mut included);
        named.retain(|file| judging.decide(file) != Some(true) && !self.is_named_in_task(file));
        self.drop_used(&mut named, &sources);
        let modules = sources.others.iter().flat_map(|file| self.modules_for_tests(file));
        named.extend(modules.filter(|file| judging.decide(file) != Some(true)));
        named.extend(self.helpers_within_packages(&sources));
        for helper in named {
            self.add(&helper, false, &Scope::default());
        }
    }

    fn text(&self, file: &Path) -> String {
        scripts::text_of(&self.folder.join(file))
    }

    /// Drops the files that others than tests and helpers import.
    fn drop_used(&self, helpers: &mut BTreeSet<PathBuf>, sources: &Sources<'_>) {
        let mut by_name = BTreeMap::<String, Vec<PathBuf>>::new();
        for helper in &*helpers {
            by_name.entry(used_name_of(helper).to_owned()).or_default().push(helper.clone());
        }
        let has_data = helpers.iter().any(|helper| is_data(helper));
        let others: Vec<_> = sources.others.iter().filter(|other| !helpers.contains(**other)).collect();
        for other in others {
            if helpers.is_empty() {
                return;
            }
            for name in self.used_names(other, sources, has_data) {
                for helper in by_name.get(&name).into_iter().flatten().filter(|helper| can_use(other, helper))
                {
                    helpers.remove(helper);
                }
            }
        }
    }

    /// Returns the names of what a file imports, and with `has_data` those of the files that it may read.
    fn used_names(&self, file: &Path, sources: &Sources<'_>, has_data: bool) -> BTreeSet<String> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let text = self.text(file);
        let mut names: BTreeSet<String> = match end_of(file) {
            "py" => {
                let modules = references::python_imports(&text);
                modules.iter().filter_map(|module| module.rsplit('.').next()).map(str::to_owned).collect()
            }
            "go" => texts(&text).filter(|path| path.contains('/')).map(last).collect(),
            "rs" => called(&text).map(str::to_owned).collect(),
            _ => {
                let places = self.script_imports(file, &text, &sources.aliases);
                places.iter().map(|place| name_of(place).to_owned()).collect()
            }
        };
        if has_data {
            let is_end = |sign: char| !sign.is_alphanumeric() && !"._-".contains(sign);
            names.extend(text.split(is_end).filter(|word| word.contains('.')).map(str::to_owned));
        }
        names
    }

    /// Returns the files that a test imports, and the data that it reads.
    fn imported(&self, test: &Path, text: &str, sources: &Sources<'_>) -> Vec<PathBuf> {
        let own = test.parent().unwrap_or(Path::new(""));
        let first = |places: Vec<PathBuf>| places.into_iter().find(|place| self.is_file(place));
        let mut found: Vec<PathBuf> = match end_of(test) {
            "py" => {
                let modules = references::python_imports(text);
                let names = modules.iter().map(|module| module.trim_start_matches('.').replace('.', "/"));
                let names = names.filter(|name| has_helping_name(Path::new(name)));
                names.flat_map(|name| self.modules_of_python(own, Path::new(&name), sources)).collect()
            }
            "go" => packages_of_go(text, sources),
            "rs" => {
                let names: BTreeSet<_> = called(text).collect();
                let called = names.into_iter().filter_map(|name| sources.modules.get(name)).flatten();
                called.filter(|file| end_of(file) == "rs").map(|file| (*file).clone()).collect()
            }
            _ => {
                let places = self.script_imports(test, text, &sources.aliases).into_iter();
                places.filter_map(|place| first(scripts::script_places(&place))).collect()
            }
        };
        let data = texts(text).filter(|text| text.contains(['/', '.']));
        let data = data.flat_map(|text| [own, Path::new("")].map(|base| self.below(base, text)));
        let data = data.flatten().filter(|place| is_data(place) && has_helping_name(place));
        found.extend(data.filter(|place| self.is_file(place)));
        found
    }

    /// Returns the modules of this name, without endings, that a test in `own` can import.
    fn modules_of_python(&self, own: &Path, name: &Path, sources: &Sources<'_>) -> Vec<PathBuf> {
        let named =
            name.file_name().and_then(|name| name.to_str()).and_then(|name| sources.modules.get(name));
        let is_root =
            |above: &Path| above == own || above == Path::new("") || self.named.roots.contains(above);
        let is_module = |file: &&&PathBuf| {
            let place = if file.ends_with("__init__.py") { file.parent() } else { Some(file.as_path()) };
            let place = place.map(|place| place.with_extension("")).filter(|place| place.ends_with(name));
            let above = place.as_deref().and_then(|place| place.ancestors().nth(name.iter().count()));
            end_of(file) == "py" && above.is_some_and(is_root)
        };
        named.into_iter().flatten().filter(is_module).map(|file| (*file).clone()).collect()
    }

    /// Returns the files that a test in Rust or Go takes into itself.
    fn taken_in(&self, test: &Path, text: &str) -> Vec<PathBuf> {
        let own = test.parent().unwrap_or(Path::new(""));
        if end_of(test) == "go" {
            let lines = text.lines().filter_map(|line| line.strip_prefix("//go:embed "));
            return lines.flat_map(str::split_whitespace).flat_map(|form| self.matching(form, own)).collect();
        }
        let included = INCLUDED.iter().filter(|_| end_of(test) == "rs");
        let included = included.flat_map(|form| form.captures_iter(text));
        let places = included.filter_map(|found| self.below(own, &found[1]));
        places.filter(|place| end_of(place) != "md" && self.is_file(place)).collect()
    }

    /// Returns the files of Go with the names of helpers whose functions only tests of their package call.
    fn helpers_within_packages(&self, sources: &Sources<'_>) -> Vec<PathBuf> {
        let is_named = |file: &Path| {
            let own = Path::new(stem_of(file));
            end_of(file) == "go" && scripts::says_that_it_helps_tests(own) && !self.is_named_in_task(file)
        };
        let is_helper = |file: &Path| {
            let text = self.text(file);
            let functions = FUNCTIONS.iter().flat_map(|form| form.captures_iter(&text));
            let calls: Vec<_> = functions.map(|found| format!("{}(", &found[1])).collect();
            let is_called = |all: &[&PathBuf]| {
                let mut beside = all.iter().filter(|other| other.parent() == file.parent());
                beside.any(|other| {
                    let text = if other.as_path() == file { String::new() } else { self.text(other) };
                    calls.iter().any(|call| text.contains(call))
                })
            };
            // Others can call a function with a capital.
            let is_own = calls.iter().all(|call| !call.starts_with(char::is_uppercase));
            is_own && is_called(&sources.tests) && !is_called(&sources.others)
        };
        let found = sources.others.iter().filter(|file| is_named(file) && is_helper(file));
        found.map(|file| (*file).clone()).collect()
    }

    /// Returns the modules that a file of Rust declares for its tests only.
    fn modules_for_tests(&self, file: &Path) -> Vec<PathBuf> {
        if end_of(file) != "rs" {
            return Vec::new();
        }
        let own = file.parent().unwrap_or(Path::new(""));
        let is_root = ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| file.ends_with(name));
        let below = if is_root { own.to_owned() } else { file.with_extension("") };
        let text = self.text(file);
        let declared = MODULES_FOR_TESTS.iter().flat_map(|form| form.captures_iter(&text));
        let places = declared.flat_map(|found| match found.get(1) {
            Some(path) => vec![own.join(path.as_str())],
            None => vec![below.join(&found[2]).with_extension("rs"), below.join(&found[2]).join("mod.rs")],
        });
        places.filter(|place| self.is_file(place) && !self.is_named_in_task(place)).collect()
    }

    fn says_that_it_helps(&self, file: &Path) -> bool {
        let imports_framework = || {
            SCRIPTS.contains(&end_of(file))
                && FRAMEWORK.as_ref().is_some_and(|form| form.is_match(&self.text(file)))
        };
        has_helping_name(file) || imports_framework()
    }
}

/// Returns the files of the packages that a test in Go imports.
fn packages_of_go(text: &str, sources: &Sources<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (folder, name) in &sources.go_modules {
        let paths = texts(text).filter_map(|path| path.strip_prefix(name.as_str()));
        let paths = paths.filter_map(|rest| if rest.is_empty() { Some("") } else { rest.strip_prefix('/') });
        let packages =
            paths.filter_map(|path| sources.packages.get(folder.join(path).components().as_path()));
        found.extend(packages.flatten().map(|file| (*file).clone()));
    }
    found
}

/// Returns whether a file that has the name of the helper among its imports means the helper.
fn can_use(file: &Path, helper: &Path) -> bool {
    let is_same = |ends: &[&str]| ends.contains(&end_of(helper)) && ends.contains(&end_of(file));
    // Files of one package of Go do not import each other.
    let is_go = is_same(&["go"]) && file.parent() != helper.parent();
    is_go || is_same(&["py"]) || is_same(SCRIPTS) || is_same(&["rs"]) || is_data(helper)
}

/// Returns the names that others have in front of them in Rust.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let found = CALLED.iter().flat_map(move |form| form.find_iter(text));
    found.map(|found| found.as_str().trim_end_matches(':'))
}

/// Returns the name of a helper as files have it that use it.
fn used_name_of(helper: &Path) -> &str {
    let own = helper.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_data(helper) { own } else { name_of(helper) }
}

fn texts(text: &str) -> impl Iterator<Item = &str> {
    let found = TEXTS.iter().flat_map(move |form| form.captures_iter(text));
    found.filter_map(|found| found.get(1)).map(|text| text.as_str())
}

fn has_helping_name(file: &Path) -> bool {
    scripts::says_that_it_helps_tests(file) || scripts::is_for_tests(file)
}

fn end_of(file: &Path) -> &str {
    file.extension().and_then(|end| end.to_str()).unwrap_or_default()
}

fn stem_of(file: &Path) -> &str {
    file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn is_data(file: &Path) -> bool {
    !SCRIPTS.contains(&end_of(file)) && !["py", "go", "rs", "md"].contains(&end_of(file))
}

/// Returns the name of a file as imports have it: that of the folder for a module like `index.js`.
fn name_of(file: &Path) -> &str {
    let is_entry = ["index", "__init__", "mod"].contains(&stem_of(file)) || end_of(file) == "go";
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    folder.filter(|_| is_entry).unwrap_or(stem_of(file))
}

/// Returns the name of what a test is about: `add` for `add.test.js`, `test_add.py` and `add_test.go`.
fn subject_of(test: &Path) -> Option<&str> {
    let name = test.file_name()?.to_str()?.split('.').next()?;
    let name = ["test_", "test-"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    Some(["_test", "-test", "_spec", "-spec"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name))
}
