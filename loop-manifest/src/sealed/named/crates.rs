//! Crates in the folder that only tests need.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use toml::{Table, Value};

use super::{super::scripts, Scope, Search};

/// The folders of the crates that a crate needs.
#[derive(Debug, Default)]
struct Needs {
    to_build: BTreeSet<PathBuf>,
    to_test: BTreeSet<PathBuf>,
}

impl Search<'_> {
    /// Protects crates that tests need and no other crate, and that have no tests of their own.
    pub(super) fn path_dependencies(&mut self, files: &[PathBuf]) {
        let crates = files.iter().filter(|file| file.ends_with("Cargo.toml"));
        let crates: Vec<(PathBuf, Table)> = crates
            .filter_map(|file| {
                let text = scripts::text_of(&self.folder.join(file));
                Some((file.parent()?.to_owned(), text.parse().ok()?))
            })
            .collect();
        let needs: BTreeMap<_, _> =
            crates.iter().map(|(own, document)| (own, self.needs(own, document, &crates))).collect();
        let built: BTreeSet<_> = needs.values().flat_map(|needs| &needs.to_build).collect();
        let mut found = BTreeSet::new();
        for (own, needed) in &needs {
            let is_cycle =
                |other: &PathBuf| needs.get(other).is_some_and(|needs| needs.to_build.contains(*own));
            let for_tests = needed.to_test.iter().filter(|other| !built.contains(other) && !is_cycle(other));
            found.extend(for_tests.cloned());
        }
        for path in found {
            if !self.is_judged(&path) && !self.has_tests(&path, files) {
                self.add(&path, true, &Scope::default());
            }
        }
    }

    fn needs(&self, own: &Path, document: &Table, crates: &[(PathBuf, Table)]) -> Needs {
        let mut needs = Needs::default();
        let targets = document.get("target").and_then(Value::as_table).into_iter().flatten();
        let tables = targets.filter_map(|(_, table)| table.as_table()).chain([document]);
        for table in tables {
            for (key, is_test) in
                [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)]
            {
                let dependencies = table.get(key).and_then(Value::as_table).into_iter().flatten();
                let paths = dependencies.filter_map(|(name, value)| self.path_of(own, name, value, crates));
                let list = if is_test { &mut needs.to_test } else { &mut needs.to_build };
                list.extend(paths);
            }
        }
        needs
    }

    /// Returns the folder of a dependency, also if the workspace names it.
    fn path_of(&self, own: &Path, name: &str, value: &Value, crates: &[(PathBuf, Table)]) -> Option<PathBuf> {
        if let Some(path) = value.get("path").and_then(Value::as_str) {
            return self.below(own, path).filter(|path| self.is_folder(path));
        }
        value.get("workspace")?;
        let inherited = |(top, document): &(PathBuf, Table)| {
            let path = document.get("workspace")?.get("dependencies")?.get(name)?.get("path")?.as_str()?;
            self.below(top, path).filter(|path| self.is_folder(path))
        };
        crates.iter().filter(|(top, _)| own.starts_with(top)).find_map(inherited)
    }

    fn has_tests(&self, path: &Path, files: &[PathBuf]) -> bool {
        let of_crate = files.iter().filter(|file| file.starts_with(path));
        let is_test = |file: &PathBuf| {
            file.starts_with(path.join("tests"))
                || file.extension().is_some_and(|end| end == "rs")
                    && scripts::text_of(&self.folder.join(file)).contains("#[test]")
        };
        of_crate.into_iter().any(is_test)
    }
}
