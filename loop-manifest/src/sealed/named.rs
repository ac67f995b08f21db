//! The scripts, files and tests in the folder that a command names.

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

use loop_guardrails::policy::command::simple_commands;
use serde::{Deserialize, Serialize};

use super::{
    programs::{RUNNERS, judges_files, parts, plain_name},
    scripts,
};

/// How deep scripts of `package.json` and quoted commands are followed.
const DEPTH: usize = 3;

/// The paths that a command names, as patterns, and the folders in which it runs programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedPaths {
    /// Patterns, each of which matches one path.
    pub(super) lines: BTreeSet<String>,
    /// The folders, from the top of the folder.
    pub(super) folders: BTreeSet<PathBuf>,
}

impl NamedPaths {
    /// Looks for what `command` names in `folder`.
    pub(super) fn of(command: &str, folder: &Path) -> Self {
        let mut named = Self::default();
        let search = Search { folder, real: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()) };
        search.line(command, Path::new(""), DEPTH, &mut named);
        named
    }
}

/// A path as a pattern that matches nothing else.
pub(super) fn line_of(path: &Path) -> String {
    format!("/{}", glob::Pattern::escape(&path.to_string_lossy()))
}

struct Search<'a> {
    folder: &'a Path,
    /// The folder without links.
    real: PathBuf,
}

impl Search<'_> {
    /// Looks at a line that runs in `base`.
    fn line(&self, command: &str, base: &Path, depth: usize, named: &mut NamedPaths) {
        let mut base = base.to_owned();
        named.folders.insert(base.clone());
        let own = self.folder.to_string_lossy();
        let command = command.replace("${PWD}", &own).replace("$PWD", &own);
        for part in parts(&command) {
            let words: Vec<_> = shlex::split(part.trim()).unwrap_or_default();
            if let [first, to, ..] = &words[..]
                && first == "cd"
            {
                base = self.below(&base, to).unwrap_or(base);
                named.folders.insert(base.clone());
                continue;
            }
            let commands = simple_commands(part);
            let judging = commands.iter().filter(|found| !judges_files(&found.program, &found.arguments));
            let judging: Vec<_> = judging.collect();
            for found in &judging {
                self.command(&found.program, &found.arguments, &base, depth, named);
            }
            if judging.len() == commands.len() {
                self.words(&words, false, &base, depth, named);
            }
        }
    }

    fn command(
        &self,
        program: &str,
        arguments: &[String],
        base: &Path,
        depth: usize,
        named: &mut NamedPaths,
    ) {
        let name = plain_name(program);
        self.words(arguments, RUNNERS.contains(&name), base, depth, named);
        match name {
            "make" | "gmake" => self.make(arguments, base, named),
            "python" => {
                for module in arguments.iter().filter(|word| word.contains('.') || self.is_module(base, word))
                {
                    let path = base.join(module.replace('.', "/"));
                    for form in
                        [path.with_added_extension("py"), path.join("__main__.py"), path.join("__init__.py")]
                    {
                        self.add(&form, false, base, named);
                    }
                }
            }
            "npm" | "pnpm" | "yarn" | "bun" if depth > 0 => {
                let text =
                    fs::read_to_string(self.folder.join(base).join("package.json")).unwrap_or_default();
                let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                let scripts = package["scripts"].as_object().into_iter().flatten();
                for script in scripts.filter_map(|(_, script)| script.as_str()) {
                    self.line(script, base, depth - 1, named);
                }
            }
            _ => {}
        }
    }

    fn is_module(&self, base: &Path, word: &str) -> bool {
        self.folder.join(base).join(word).join("__main__.py").is_file()
    }

    /// Protects the targets, which a file of the same name would make up to date, and what makefiles include.
    fn make(&self, arguments: &[String], base: &Path, named: &mut NamedPaths) {
        let targets = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains(['=', '/']));
        named.lines.extend(targets.map(|target| line_of(&base.join(target))));
        for file in ["Makefile", "makefile", "GNUmakefile"]
            .iter()
            .copied()
            .chain(arguments.iter().map(String::as_str))
        {
            self.add(&base.join(file), false, base, named);
            let text = fs::read_to_string(self.folder.join(base).join(file)).unwrap_or_default();
            for line in text.lines() {
                let line = line.strip_prefix('-').unwrap_or(line);
                for included in line.strip_prefix("include ").unwrap_or_default().split_whitespace() {
                    self.matches(included, base, named);
                }
            }
        }
    }

    fn words(
        &self,
        words: &[String],
        takes_folders: bool,
        base: &Path,
        depth: usize,
        named: &mut NamedPaths,
    ) {
        for word in words {
            if word.contains(char::is_whitespace) && depth > 0 {
                // What a command prints is judged.
                if !word.contains("$(") {
                    self.line(word, base, depth - 1, named);
                }
                continue;
            }
            if word.contains('*') && word.ends_with(".sh") {
                self.matches(word, base, named);
                continue;
            }
            let word = word.trim_start_matches(['<', '@']);
            let value = word.split_once('=').map_or("", |(_, value)| value);
            for text in [word, value, word.split("::").next().unwrap_or(word)] {
                if text.is_empty() {
                    continue;
                }
                if let Some(path) = self.below(base, text) {
                    self.add(&path, takes_folders, base, named);
                }
            }
        }
    }

    fn add(&self, path: &Path, takes_folders: bool, base: &Path, named: &mut NamedPaths) {
        let place = self.folder.join(path);
        if path.as_os_str().is_empty() || !(place.is_file() || takes_folders && place.is_dir()) {
            return;
        }
        if named.lines.insert(line_of(path)) {
            self.follow(path, base, named);
            self.behind_links(path, base, named);
        }
    }

    /// Adds the links on the way to a path, and what is behind them.
    fn behind_links(&self, path: &Path, base: &Path, named: &mut NamedPaths) {
        let is_link =
            |path: &&Path| self.folder.join(path).symlink_metadata().is_ok_and(|found| found.is_symlink());
        let links: Vec<_> =
            path.ancestors().filter(|path| !path.as_os_str().is_empty()).filter(is_link).collect();
        named.lines.extend(links.iter().map(|link| line_of(link)));
        let real = if links.is_empty() { None } else { self.folder.join(path).canonicalize().ok() };
        if let Some(real) = real.as_deref().and_then(|real| real.strip_prefix(&self.real).ok()) {
            self.add(real, true, base, named);
        }
    }

    /// Adds the files that match a pattern of the shell.
    fn matches(&self, pattern: &str, base: &Path, named: &mut NamedPaths) {
        let place =
            Path::new(&glob::Pattern::escape(&self.folder.to_string_lossy())).join(base).join(pattern);
        for found in glob::glob(&place.to_string_lossy()).into_iter().flatten().flatten() {
            if let Ok(path) = found.strip_prefix(self.folder) {
                self.add(path, false, base, named);
            }
        }
    }

    /// Looks at what a script calls.
    fn follow(&self, script: &Path, base: &Path, named: &mut NamedPaths) {
        for word in scripts::words_of(&self.folder.join(script)) {
            for place in scripts::places(&word, base, script) {
                if let Some(path) = place.to_str().and_then(|text| self.below(Path::new(""), text)) {
                    self.add(&path, false, base, named);
                }
            }
        }
    }

    /// Returns a path from the top of the folder; `None` if it is elsewhere.
    fn below(&self, base: &Path, text: &str) -> Option<PathBuf> {
        let path = Path::new(text);
        if path.is_absolute() {
            // Another link can lead to the folder.
            let real = path.canonicalize().ok()?;
            return real.strip_prefix(&self.real).ok().map(Path::to_owned);
        }
        let mut below = PathBuf::new();
        for step in base.join(path).components() {
            match step {
                Component::Normal(name) => below.push(name),
                Component::ParentDir if below.pop() => {}
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[(&str, &str)] = &[
        ("check.sh", ""),
        ("verify.py", ""),
        ("ci.mk", ""),
        ("mk/more.mk", ""),
        ("Makefile", "include mk/more.mk\nall:\n\tsh qa/verify.sh\n"),
        ("qa/verify.sh", ""),
        ("sub/check.sh", ""),
        ("sub/run.js", ""),
        ("sub/package.json", r#"{"scripts": {"test": "node run.js"}}"#),
        ("qa/cases.py", ""),
        ("checks/verify.py", ""),
        ("run.sh", ". \"$(dirname \"$0\")/common.sh\"\npython3 tools/verify.py $(python3 src/test_of.py)\n"),
        ("common.sh", "sh \"$here/tools/check_all.sh\"\nsh build.sh\n"),
        ("build.sh", "sh check.sh\n"),
        ("tools/verify.py", "from expected_values import ALL\nimport helper\n"),
        ("tools/expected_values.py", ""),
        ("tools/helper.py", ""),
        ("tools/check_all.sh", "sh ./run.sh\n"),
        ("src/test_of.py", ""),
    ];

    #[test]
    fn a_command_names_what_it_judges_with() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in FILES {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink("checks", folder.path().join("cc")).unwrap();
        let absolute = format!("{}/check.sh", folder.path().display());
        for (command, expected) in [
            ("./check.sh", vec!["/check.sh"]),
            ("sh -euo pipefail check.sh --all", vec!["/check.sh"]),
            ("timeout 60 python3.12 -W error verify.py", vec!["/verify.py"]),
            (
                "make -f ci.mk all && ./check.sh",
                vec!["/Makefile", "/all", "/check.sh", "/ci.mk", "/mk/more.mk", "/qa/verify.sh"],
            ),
            ("cd sub && ./check.sh", vec!["/sub/check.sh"]),
            ("(cd sub; sh check.sh)", vec!["/sub/check.sh"]),
            ("cd sub && npm test", vec!["/sub/run.js"]),
            ("bash -c 'sh check.sh | tee log'", vec!["/check.sh"]),
            ("sh < check.sh", vec!["/check.sh"]),
            ("sh <check.sh", vec!["/check.sh"]),
            ("$PWD/check.sh", vec!["/check.sh"]),
            (&absolute, vec!["/check.sh"]),
            ("env X=1 bash ./check.sh | tee log", vec!["/check.sh"]),
            ("python3 -m checks.verify", vec!["/checks/verify.py"]),
            ("python3 -m unittest qa.cases", vec!["/qa/cases.py"]),
            (
                "./run.sh",
                vec![
                    "/common.sh",
                    "/run.sh",
                    "/tools/check_all.sh",
                    "/tools/expected_values.py",
                    "/tools/verify.py",
                ],
            ),
            ("python3 cc/verify.py", vec!["/cc", "/cc/verify.py", "/checks/verify.py"]),
            ("for f in qa/*.sh; do sh $f; done", vec!["/qa/verify.sh"]),
            ("go test ./qa && grep -q x verify.py", vec![]),
            ("pytest qa/ -q", vec!["/qa"]),
            ("pytest qa/cases.py::test_one", vec!["/qa/cases.py"]),
            ("ruff check qa", vec![]),
            ("../check.sh", vec![]),
        ] {
            let found = NamedPaths::of(command, folder.path()).lines;
            assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{command}");
        }
    }
}
