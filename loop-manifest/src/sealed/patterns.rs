//! Patterns of paths, as in a `.gitignore`: the last one that matches a path, or a folder above it, decides.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use glob::{MatchOptions, Pattern};

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// A list of patterns.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// The patterns of names, by their places in the list.
    names: Vec<(usize, Pattern)>,
    /// Those of paths from the top: of the path itself, and of what is below it.
    paths: Vec<(usize, Vec<Pattern>)>,
    /// Paths without a sign that matches others, and what is below them.
    places: HashMap<PathBuf, usize>,
    /// The decision of each line about a path that it matches.
    says: Vec<bool>,
    /// The last pattern that matches a name. A folder with many files has few different names above them.
    known: Mutex<HashMap<OsString, Option<usize>>>,
}

impl Patterns {
    /// Makes a list of lines that were checked, or are ours. Others are left out.
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut patterns = Self::default();
        for line in lines {
            let _ = patterns.add(line);
        }
        patterns
    }

    /// Adds a line, after those that are there.
    ///
    /// # Errors
    /// Returns what is wrong with the line.
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        let (line, is_included) = line.strip_prefix('!').map_or((line, true), |line| (line, false));
        let line = line.trim_end_matches('/');
        let path = line.strip_prefix('/').unwrap_or(line);
        if path.is_empty() {
            return Err("there is no path in it".to_owned());
        }
        if path.split('/').any(|step| step == "..") {
            return Err("it leads out of the folder".to_owned());
        }
        let pattern = |form: &str| Pattern::new(form).map_err(|error| error.msg.to_owned());
        let place = self.says.len();
        if line.contains('/') && !path.contains(['*', '?', '[']) {
            self.places.insert(path.into(), place);
        } else if line.contains('/') {
            let forms = if path.ends_with("/**") {
                vec![pattern(path)?]
            } else {
                vec![pattern(path)?, pattern(&format!("{path}/**"))?]
            };
            self.paths.push((place, forms));
        } else {
            self.names.push((place, pattern(path)?));
            self.known = Mutex::default();
        }
        self.says.push(is_included);
        Ok(())
    }

    /// Returns what the last pattern says that matches the path, or a folder above it.
    pub(super) fn decide(&self, path: &Path) -> Option<bool> {
        let matches = |forms: &[Pattern]| forms.iter().any(|form| form.matches_path_with(path, OPTIONS));
        let by_path = self.paths.iter().rev().find(|(_, forms)| matches(forms)).map(|(place, _)| *place);
        let by_name = path.iter().filter_map(|name| self.of_name(name)).max();
        let by_place = path.ancestors().filter_map(|above| self.places.get(above).copied()).max();
        by_path.max(by_name).max(by_place).and_then(|place| self.says.get(place).copied())
    }

    fn of_name(&self, name: &OsStr) -> Option<usize> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.get(name) {
            return *place;
        }
        let text = name.to_string_lossy();
        let found = self.names.iter().rev().find(|(_, pattern)| pattern.matches_with(&text, OPTIONS));
        let place = found.map(|(place, _)| *place);
        known.insert(name.to_owned(), place);
        place
    }
}

/// Checks a line of `evaluator.protect`.
///
/// # Errors
/// Returns what is wrong with it.
pub(crate) fn check_pattern(line: &str) -> Result<(), String> {
    Patterns::default().add(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(lines: &[&str], path: &str) -> Option<bool> {
        let mut patterns = Patterns::default();
        lines.iter().for_each(|line| patterns.add(line).unwrap());
        patterns.decide(Path::new(path))
    }

    #[test]
    fn names_match_anywhere_and_paths_from_the_top() {
        for (line, path, expected) in [
            ("tests/", "tests/a.rs", Some(true)),
            ("tests/", "crates/x/tests/deep/a.rs", Some(true)),
            ("tests/", "src/tests.rs", None),
            ("test_*.py", "pkg/test_a.py", Some(true)),
            ("test_*.py", "pkg/test_a.pyc", None),
            ("/check.sh", "check.sh", Some(true)),
            ("/check.sh", "sub/check.sh", None),
            ("golden/**", "golden/a/b", Some(true)),
            ("golden/**", "sub/golden/a", None),
            ("*.pth", "a/b.pth", Some(true)),
        ] {
            assert_eq!(decide(&[line], path), expected, "{line} {path}");
        }
    }

    #[test]
    fn the_last_match_decides_also_below_a_folder() {
        let lines = ["tests/", "!tests/scratch/**", "tests/scratch/kept.rs"];
        assert_eq!(decide(&lines, "tests/a.rs"), Some(true));
        assert_eq!(decide(&lines, "tests/scratch/a.rs"), Some(false));
        assert_eq!(decide(&lines, "tests/scratch/kept.rs"), Some(true));
    }

    #[test]
    fn lines_that_mean_nothing_are_refused() {
        for line in ["", "!", "/", "a/../b", "a[", "a/***"] {
            assert!(check_pattern(line).is_err(), "{line}");
        }
    }
}
