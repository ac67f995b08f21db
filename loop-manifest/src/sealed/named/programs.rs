//! Programs that find their scripts and modules in their own ways.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::{programs::PRODUCT_SCRIPTS, scripts, shell_text},
    Scope, Search, line_of,
};

impl Search<'_> {
    /// Protects the targets, which a file of the same name would make up to date, and what makefiles include.
    pub(super) fn make(&mut self, arguments: &[String], scope: &Scope) {
        let targets = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains(['=', '/']));
        self.named.lines.extend(targets.map(|target| line_of(&scope.base.join(target))));
        for file in
            ["Makefile", "makefile", "GNUmakefile"].into_iter().chain(arguments.iter().map(String::as_str))
        {
            let Some(path) = self.below(&scope.base, file) else { continue };
            self.add(&path, false, scope);
            let text = scripts::text_of(&self.folder.join(&path));
            let included = |line: &&str| {
                let line = line.trim_start_matches('-');
                line.starts_with("include ") || line.starts_with("sinclude ")
            };
            let (included, values): (Vec<_>, Vec<_>) = text.lines().partition(included);
            let text: Vec<_> = values.iter().chain(&included).copied().collect();
            for text in shell_text::with_values(&text.join("\n"), true) {
                self.made_files(&text, scope);
                for word in text.lines().skip(values.len()).flat_map(|line| line.split_whitespace().skip(1)) {
                    self.included(word, scope);
                }
            }
        }
    }

    /// Keeps the places free at which a makefile makes files: one that is there, or is newer, would be up to date.
    fn made_files(&mut self, text: &str, scope: &Scope) {
        let rules: Vec<_> = text.lines().filter_map(rule).collect();
        let phony: Vec<_> = rules.iter().filter(|(targets, _)| targets.trim() == ".PHONY").collect();
        let phony: Vec<_> = phony.iter().flat_map(|(_, words)| words.split_whitespace()).collect();
        for (targets, sources) in &rules {
            let is_object =
                |word: &&str| [".o", ".a", ".so", ".lo", ".obj"].iter().any(|end| word.ends_with(end));
            let made = targets.split_whitespace().chain(sources.split_whitespace().filter(is_object));
            for word in made.filter(|word| !phony.contains(word) && !word.starts_with('.')) {
                if word.contains(['$', '(', ')', '*', '?', '[']) || word.trim_matches('%').is_empty() {
                    continue;
                }
                let form = word.replace('%', "*");
                let is_there = match self.below(&scope.base, word) {
                    Some(path) if !word.contains('%') => self.folder.join(path).exists(),
                    _ => !self.matching(&format!("**/{form}"), &scope.base).is_empty(),
                };
                let place =
                    self.below(&scope.base, &form).filter(|path| !is_there && path.iter().next().is_some());
                self.named.preferred.extend(place.map(|path| format!("/{}", path.to_string_lossy())));
            }
        }
    }

    /// Protects a file that a makefile includes, also if it is not there yet.
    fn included(&mut self, word: &str, scope: &Scope) {
        let word = word.trim_start_matches("$(wildcard").trim_end_matches(')');
        if let Some((_, rest)) = word.rsplit_once('$') {
            // As in `$(OBJECTS:.o=.d)`: the names are unknown, and their ending is not.
            let end = rest.rsplit_once('.').map_or("", |(_, end)| end);
            if !end.is_empty() && end.chars().all(char::is_alphanumeric) {
                self.named.preferred.insert(format!("*.{end}"));
            }
            return;
        }
        for path in self.matching(word, &scope.base) {
            self.add(&path, false, scope);
        }
        if let Some(path) = self.below(&scope.base, word).filter(|path| !path.as_os_str().is_empty()) {
            self.named.preferred.insert(format!("/{}", path.to_string_lossy()));
        }
    }

    /// Adds the modules that a command for Python names.
    pub(super) fn python(&mut self, arguments: &[String], scope: &Scope) {
        let plugins = arguments.windows(2).filter(|pair| pair[0] == "-p").map(|pair| pair[1].as_str());
        let joined =
            arguments.iter().filter_map(|word| word.strip_prefix("-p")).filter(|name| !name.is_empty());
        for plugin in plugins.chain(joined) {
            self.module(plugin, &scope.base, scope);
        }
        for word in arguments {
            if word.contains('.') || self.is_file(&scope.base.join(word).join("__main__.py")) {
                self.module(word, &scope.base, scope);
            }
        }
    }

    /// Adds a module of Python with dots in its name, and the packages on the way to it.
    pub(super) fn module(&mut self, name: &str, own: &Path, scope: &Scope) -> bool {
        let steps: Vec<_> = name.split('.').filter(|step| !step.is_empty()).collect();
        if steps.is_empty() || steps.iter().any(|step| step.contains('/')) {
            return false;
        }
        let roots: Vec<_> =
            [own, &scope.base].into_iter().map(Path::to_owned).chain(scope.roots.clone()).collect();
        for root in roots {
            let Some(root) = root.to_str().and_then(|root| self.below(Path::new(""), root)) else { continue };
            let path = steps.iter().fold(root.clone(), |path, step| path.join(step));
            let found = self.add_first(&scripts::module_places(&path), scope);
            if found {
                let packages =
                    path.ancestors().skip(1).take_while(|above| above.starts_with(&root) && **above != root);
                let packages: Vec<PathBuf> = packages.map(|package| package.join("__init__.py")).collect();
                self.named.preferred.extend(packages.iter().map(|package| line_of(package)));
                return true;
            }
        }
        false
    }

    /// Looks at the scripts of `package.json` that a command runs.
    pub(super) fn npm(&mut self, arguments: &[String], scope: &Scope) {
        let base = self.folder_option(arguments, &scope.base).unwrap_or_else(|| scope.base.clone());
        let text = fs::read_to_string(self.folder.join(&base).join("package.json")).unwrap_or_default();
        let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let Some(scripts) = package["scripts"].as_object() else { return };
        let alias = |word: &String| match word.as_str() {
            "t" | "tst" => "test".to_owned(),
            _ => word.clone(),
        };
        let mut wanted: Vec<String> =
            arguments.iter().map(alias).filter(|word| scripts.contains_key(word)).collect();
        if arguments.iter().any(|word| ["i", "ci", "install"].contains(&word.as_str())) {
            wanted.extend(["preinstall", "install", "postinstall", "prepare"].map(str::to_owned));
        }
        if wanted.is_empty() {
            wanted.extend(scripts.keys().cloned());
        }
        let mut done: Vec<String> = Vec::new();
        while let Some(name) = wanted.pop() {
            if done.contains(&name) {
                continue;
            }
            for name in [&*name, &format!("pre{name}"), &format!("post{name}")] {
                let Some(script) = scripts.get(name).and_then(serde_json::Value::as_str) else { continue };
                // As in `run-s lint unit`.
                let is_word = |other: &&String| {
                    script
                        .split_whitespace()
                        .any(|word| word.trim_matches(['"', '\'']).trim_end_matches('*') == other.as_str())
                };
                wanted.extend(scripts.keys().filter(is_word).cloned());
                let inner = scope.at(base.clone());
                let is_product = PRODUCT_SCRIPTS.contains(&name);
                self.line(script, &if is_product { inner.printed() } else { inner.inner() });
            }
            done.push(name);
        }
    }

    /// Adds the files that a part of a command finds for another part that runs them.
    pub(super) fn found_files(&mut self, words: &[String], scope: &Scope) {
        let Some(at) = words.iter().position(|word| word == "find") else {
            return self.listed_files(words, scope);
        };
        let words = &words[at + 1..];
        let starts: Vec<_> = words.iter().take_while(|word| !word.starts_with(['-', '(', '!'])).collect();
        let names = words
            .windows(2)
            .filter(|pair| ["-name", "-iname"].contains(&pair[0].as_str()))
            .map(|pair| &pair[1]);
        let names: Vec<_> = names.collect();
        let top = ".".to_owned();
        for start in if starts.is_empty() { vec![&top] } else { starts } {
            let Some(folder) = self.below(&scope.base, start) else { continue };
            let is_apart = self.is_folder(&folder) && !self.is_judged(&folder);
            if names.is_empty() && is_apart {
                self.add(&folder, true, scope);
            }
            for name in &names {
                for path in self.matching(&format!("{}/**/{name}", folder.display()), Path::new("")) {
                    if !self.is_judged(&path) {
                        self.add(&path, false, scope);
                    }
                }
                if is_apart {
                    self.named.preferred.insert(format!("/{}/**/{name}", folder.display()));
                }
            }
        }
    }

    /// Adds the files that words match, and those in lists.
    pub(super) fn listed_files(&mut self, words: &[String], scope: &Scope) {
        for word in words {
            let word = word.trim_start_matches('<');
            let path = if word.contains('*') { None } else { self.below(&scope.base, word) };
            let listed = path.map(|path| scripts::text_of(&self.folder.join(path))).unwrap_or_default();
            let listed = listed
                .split_whitespace()
                .filter_map(|entry| self.below(&scope.base, entry))
                .collect::<Vec<_>>();
            let matching = if word.contains('*') { self.matching(word, &scope.base) } else { Vec::new() };
            for path in matching.into_iter().chain(listed) {
                if !self.is_judged(&path) {
                    self.add(&path, false, scope);
                }
            }
            // As in `ls qa | xargs -I{} sh qa/{}`.
            let above = word
                .split_once(['{', '$'])
                .and_then(|(above, _)| self.below(&scope.base, above.strip_suffix('/')?));
            if let Some(folder) = above.filter(|folder| !self.is_judged(folder)) {
                self.add(&folder, true, scope);
            }
        }
    }
}

/// Returns the targets of a rule of a makefile, and what they are made of.
fn rule(line: &str) -> Option<(&str, &str)> {
    let (targets, sources) = line.split_once(':')?;
    let is_rule = !line.starts_with(char::is_whitespace) && !targets.contains(['=', '#', '"', '\'']);
    let sources = sources.trim_start_matches(':');
    let sources = sources.split(['#', ';', '|']).next().unwrap_or_default();
    (is_rule && !sources.contains('=')).then_some((targets, sources))
}
