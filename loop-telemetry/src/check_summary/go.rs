//! `go test`.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use serde::Deserialize;

use super::{
    Runner,
    findings::{Findings, with_owners},
};

/// Tests that failed have a line each, and all of them with `-v`. A package ends with a line of its own.
#[derive(Default)]
pub(super) struct Go {
    found: Findings,
    package: Package,
    packages: Counts,
    /// Below the heading of a package that does not build.
    in_build: bool,
    /// Below the heading of the tests that ran when the time was up.
    in_running: bool,
    /// The failing tests, each with its package.
    failing: Vec<(String, String)>,
    is_seen: bool,
    has_gap: bool,
}

/// The tests of a package.
#[derive(Default)]
struct Package {
    failed: Vec<String>,
    passed: Vec<String>,
    skipped: u64,
    started: u64,
    panic: Option<String>,
    /// `exit status 2`: the test program ended itself, without a failed test.
    exit: Option<String>,
}

#[derive(Default)]
struct Counts {
    failed: u64,
    passed: u64,
    /// All packages list their tests.
    is_complete: bool,
    is_any: bool,
}

impl Go {
    /// Counts the tests of the package that ends here. A test with subtests is not counted beside them.
    fn end_package(&mut self, line: &str) {
        let Package { failed, passed, skipped, started, panic, exit } = std::mem::take(&mut self.package);
        let package = line.split_whitespace().nth(1).unwrap_or_default();
        if let Some(panic) = panic.or(exit).filter(|_| failed.is_empty() && line.starts_with("FAIL")) {
            self.found.error(&format!("{package}: {panic}"));
        }
        let parents = |tests: &[String]| -> HashSet<String> {
            tests
                .iter()
                .filter_map(|test| test.rsplit_once('/'))
                .map(|(parent, _)| parent.to_owned())
                .collect()
        };
        let (of_failed, of_passed) = (parents(&failed), parents(&passed));
        let is_empty = line.ends_with(EMPTY[0]) || line.ends_with(EMPTY[1]);
        let settled = (failed.len() + passed.len()) as u64 + skipped;
        let failing = failed.iter().filter(|test| !of_failed.contains(*test));
        self.packages.failed += failing.clone().count() as u64;
        self.failing.extend(failing.map(|test| (package.to_owned(), test.clone())));
        let is_leaf = |test: &&String| !of_passed.contains(*test) && !of_failed.contains(*test);
        self.packages.passed += passed.iter().filter(is_leaf).count() as u64;
        // Without `-v` nothing announces the tests, and those that passed are missing.
        self.packages.is_complete &= started == settled && (started > 0 || is_empty);
    }

    /// Returns the names of the failing tests. A name that occurs in several packages gets the package in front.
    fn names(&mut self) -> Vec<String> {
        let failing = std::mem::take(&mut self.failing);
        // The end of a package may be left out, so that its tests would get the name of the next one.
        if self.has_gap {
            return failing.into_iter().map(|(_, test)| test).collect();
        }
        let shared = common_folder(failing.iter().map(|(package, _)| package.as_str()));
        with_owners(&failing, shared)
    }

    /// Reads the line of a test: `    --- FAIL: TestTable/case_2 (0.00s)`. The output of the test may precede it.
    fn test(&mut self, line: &str) {
        let result = line.rsplit_once("--- ").and_then(|(_, line)| line.split_once(": "));
        let Some((outcome, rest)) = result else { return };
        let Some(name) = timed(rest) else { return };
        match outcome {
            "FAIL" => self.package.failed.push(name.to_owned()),
            "PASS" => self.package.passed.push(name.to_owned()),
            "SKIP" => self.package.skipped += 1,
            _ => {}
        }
    }
}

impl Runner for Go {
    fn line(&mut self, line: &str) -> bool {
        if line.starts_with("=== RUN ") {
            self.package.started += 1;
        } else if let Some(end) = package_end(line) {
            self.is_seen = true;
            self.in_build = false;
            if end == PackageEnd::Ran {
                if !self.packages.is_any {
                    self.packages.is_complete = true;
                }
                self.packages.is_any = true;
                self.end_package(line);
            } else {
                self.packages.is_complete = false;
            }
        } else if line.starts_with("# ") {
            self.in_build = true;
        } else if self.in_build && is_place(line.trim_start_matches("vet: ")) {
            self.found.error(line.trim_start_matches("vet: "));
        } else if line.starts_with("panic: ") {
            self.package.panic.get_or_insert_with(|| line.to_owned());
        } else if line.starts_with("exit status ") {
            self.package.exit = Some(line.to_owned());
        } else if self.in_running
            && let Some(name) = line.starts_with(' ').then(|| timed(line.trim_start())).flatten()
        {
            self.package.failed.push(name.to_owned());
            return false;
        } else {
            self.test(line);
        }
        self.in_running = line.trim_start() == "running tests:" && self.package.panic.is_some();
        false
    }

    fn gap(&mut self) {
        self.has_gap = true;
        self.in_build = false;
    }

    fn findings(&mut self) -> Findings {
        let names = self.names();
        let mut found = std::mem::take(&mut self.found);
        found.failing.extend(names);
        if !self.is_seen {
            // The program was built only.
            return Findings { errors: found.errors, ..Findings::default() };
        }
        let Counts { failed, passed, is_complete, is_any } = self.packages;
        if is_any && (failed > 0 || is_complete) {
            found.tally.add(failed, is_complete.then_some(passed));
        }
        if self.has_gap {
            found.tally.doubt();
        }
        found
    }
}

/// Returns the length of the folders that all packages have in common, with the `/` behind them.
fn common_folder<'a>(packages: impl Iterator<Item = &'a str>) -> usize {
    let common = packages.map(|package| (package, package)).reduce(|(folder, _), (package, _)| {
        let same = folder.bytes().zip(package.bytes()).take_while(|(one, other)| one == other).count();
        (&folder[..folder.floor_char_boundary(same)], package)
    });
    common.and_then(|(folder, _)| folder.rfind('/')).map_or(0, |slash| slash + 1)
}

/// Returns the name in front of a time: `TestTable/case_2 (0.00s)`.
fn timed(text: &str) -> Option<&str> {
    let (name, time) = text.split_once(" (")?;
    (time.ends_with("s)") && !name.contains(' ')).then_some(name)
}

/// An event of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct JsonEvent<'a> {
    #[serde(default, borrow, alias = "ImportPath")]
    package: Cow<'a, str>,
    #[serde(default)]
    output: String,
}

/// Returns the text without the events of `-json`, and below it what these quote, in one piece for each package.
/// Returns `None` if there are none.
pub(super) fn quoted(text: &str) -> Option<String> {
    if !text.contains("\"Action\":\"") {
        return None;
    }
    let (mut rest, mut packages) = (String::new(), BTreeMap::<Cow<'_, str>, String>::new());
    for line in text.split_inclusive('\n') {
        match Some(line).filter(|line| line.starts_with('{')).map(serde_json::from_str::<JsonEvent<'_>>) {
            Some(Ok(event)) => packages.entry(event.package).or_default().push_str(&event.output),
            _ => rest.push_str(line),
        }
    }
    let packages = packages.into_values().filter(|output| !output.is_empty());
    Some(packages.fold(rest, |text, output| text + "\n" + &output))
}

#[derive(PartialEq)]
enum PackageEnd {
    Ran,
    Unbuilt,
}

/// The ends of the lines of packages in which no test ran.
const EMPTY: [&str; 2] = ["[no tests to run]", "[no test files]"];

/// Reads the last line of a package: `ok   example.com/shapes 0.005s`, `FAIL example.com/shapes [build failed]`.
fn package_end(line: &str) -> Option<PackageEnd> {
    let rest = ["ok   ", "FAIL ", "?    "].iter().find_map(|word| line.strip_prefix(word))?;
    let (package, how) = rest.split_once(' ')?;
    if package.is_empty() || how.starts_with(' ') {
        return None;
    }
    if how.starts_with("[build failed]") || how.starts_with("[setup failed]") {
        return Some(PackageEnd::Unbuilt);
    }
    if line.starts_with('?') {
        return (how == EMPTY[1]).then_some(PackageEnd::Ran);
    }
    let time = how.split(' ').next()?;
    let is_time = time.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
    (is_time || time == "(cached)").then_some(PackageEnd::Ran)
}

/// Returns true for a line that begins with a place: `bad/b.go:2:23: undefined: x`.
fn is_place(line: &str) -> bool {
    let mut parts = line.splitn(4, ':');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    parts.next().is_some_and(|file| file.ends_with(".go"))
        && is_number(parts.next())
        && is_number(parts.next())
}
