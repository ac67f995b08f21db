//! The scripts that a file calls to judge, and the modules that it imports.

use std::path::{Path, PathBuf};

use super::{
    super::{references, scripts, shell_text},
    Scope, Search,
    commands::runs_found_files,
};

impl Search<'_> {
    /// Looks at what a script calls.
    pub(super) fn follow(&mut self, script: &Path, scope: &Scope) {
        let text = scripts::text_of(&self.folder.join(script));
        let is_makefile = is_makefile(script);
        for text in shell_text::with_values(&text, is_makefile) {
            let scopes = self.folders_in(&text, scope);
            for word in scripts::words_of(&text) {
                for place in scopes
                    .iter()
                    .flat_map(|scope| scripts::places(&word, &scope.base, script))
                    .collect::<Vec<_>>()
                {
                    if let Some(path) = place.to_str().and_then(|text| self.below(Path::new(""), text)) {
                        self.add(&path, false, scope);
                    }
                }
            }
            if is_shell(script, &text) {
                self.operands(&text, scope);
                self.notice_unittest(&text);
                self.notice_path(&text);
                self.indirect_calls(&text, scope);
            }
        }
        self.imports(script, &text, scope);
    }

    /// Returns the scopes in which a script runs others: its own, and those of `cd DIR` and `-C DIR`.
    fn folders_in(&self, text: &str, scope: &Scope) -> Vec<Scope> {
        let mut scopes = vec![scope.clone()];
        for line in text.lines() {
            let words: Vec<_> = line
                .split(|sign: char| sign.is_whitespace() || "\"'();&".contains(sign))
                .map(str::to_owned)
                .collect();
            let after_cd = words.iter().position(|word| word == "cd").and_then(|at| words.get(at + 1));
            let folder = after_cd
                .and_then(|folder| self.below(&scope.base, folder))
                .filter(|folder| self.is_folder(folder));
            let folder = folder.or_else(|| self.folder_option(&words, &scope.base));
            scopes.extend(folder.map(|folder| scope.at(folder)));
        }
        scopes
    }

    /// Looks at the lines of a script that run files in another folder, or files that they find.
    fn indirect_calls(&mut self, text: &str, scope: &Scope) {
        let text = text.replace("\\\n", " ");
        for line in text.lines().map(|line| line.trim_start().trim_start_matches(['@', '-', '+'])) {
            let has = |word: &str| line.split_whitespace().any(|other| other == word);
            let is_indirect = has("xargs") || has("find") && line.contains(" -exec");
            let is_make = ["$(MAKE)", "${MAKE}"].iter().any(|make| line.contains(make));
            if is_indirect || is_make || has("env") && (has("-C") || line.contains(" --chdir")) {
                self.line(&line.replace("$(MAKE)", "make").replace("${MAKE}", "make"), &scope.inner());
            }
        }
        self.loops(&text, scope);
    }

    /// Adds the files of folders that a loop runs one by one, as in `for f in cases/*; do sh "$f"; done`.
    fn loops(&mut self, text: &str, scope: &Scope) {
        let mut words: Vec<String> = Vec::new();
        for line in text.lines().flat_map(|line| line.split(';')).map(str::trim) {
            let line = line.trim_start_matches(['@', '-', '+']);
            if let Some((_, list)) = line.strip_prefix("for ").and_then(|rest| rest.split_once(" in ")) {
                let is_list = |word: &&str| word.contains('*') && word.contains('/');
                words = list.split_whitespace().filter(is_list).map(str::to_owned).collect();
            } else if !words.is_empty() && line.contains('$') {
                let line = line.trim_start_matches("do ");
                if runs_found_files(&format!("do {line}")) {
                    self.listed_files(&words, scope);
                }
            }
            if line.starts_with("done") {
                words.clear();
            }
        }
    }

    /// Adds the modules beside a program that it imports to judge.
    fn imports(&mut self, program: &Path, text: &str, scope: &Scope) {
        let own = program.parent().unwrap_or(Path::new("")).to_owned();
        let found: Vec<Vec<PathBuf>> = if is_python(program, text) {
            let modules = references::python_imports(text);
            modules.iter().map(|module| self.python_module(module, &own, scope)).collect()
        } else if is_script(program, text) {
            let paths = references::javascript_imports(text);
            let paths = paths.iter().filter_map(|path| self.below(&own, path));
            paths.map(|path| scripts::script_places(&path)).collect()
        } else if let Some((ends, _)) = OTHERS.iter().find(|other| is_other(program, text, other)) {
            let paths = references::other_imports(text);
            let paths = paths.iter().filter_map(|path| self.below(&own, path));
            let places = |path: PathBuf| {
                ends.iter().map(|end| path.with_added_extension(end)).chain([path.clone()]).collect()
            };
            paths.map(places).collect()
        } else {
            return;
        };
        let mut unclear = Vec::new();
        let mut has_product = starts_others(text);
        for places in found {
            let Some(module) = places.iter().find(|place| self.is_file(place)) else { continue };
            if self.is_judged(module) {
                has_product = true;
            } else if scripts::says_that_it_helps(module) || is_within(module, &own) {
                self.add_first(&places, scope);
            } else if is_beside(module, &own) && !unclear.contains(&places) {
                unclear.push(places);
            } else {
                has_product = true;
            }
        }
        // A program that judges judges something: its only import is that.
        if has_product || unclear.len() > 1 {
            for places in unclear {
                self.add_first(&places, scope);
            }
        }
    }

    /// Returns the places of a module that a program in `own` imports.
    fn python_module(&self, module: &str, own: &Path, scope: &Scope) -> Vec<PathBuf> {
        let name = module.trim_start_matches('.');
        let up = module.len() - name.len();
        let own = (1..up).fold(own, |own, _| own.parent().unwrap_or(own));
        let roots = [own, &scope.base].into_iter().map(Path::to_owned).chain(scope.roots.clone());
        let roots = roots.take(if up > 0 { 1 } else { usize::MAX });
        roots.flat_map(|root| scripts::module_places(&root.join(name.replace('.', "/")))).collect()
    }

    /// Returns whether a file is what the agent works on, as far as its name and the task say so.
    pub(super) fn is_judged(&self, path: &Path) -> bool {
        let judges = path.to_str().is_some_and(scripts::says_that_it_judges);
        !judges && (scripts::says_that_it_is_judged(path) || self.is_named_in_task(path))
    }

    /// Returns whether the task names a file.
    pub(super) fn is_named_in_task(&self, path: &Path) -> bool {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '-';
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        name.len() > 2 && self.task.split(|sign| !is_part(sign)).any(|word| word == name)
    }
}

/// Returns whether a program starts others, which it can judge.
fn starts_others(text: &str) -> bool {
    ["subprocess", "os.system", "os.popen", "child_process"].iter().any(|name| text.contains(name))
}

/// Returns whether a module is in the program's own folder, which is not the top.
fn is_within(module: &Path, own: &Path) -> bool {
    !own.as_os_str().is_empty() && module.starts_with(own)
}

/// Returns whether a module is a file beside a program at the top. A package there has a name of its own.
fn is_beside(module: &Path, own: &Path) -> bool {
    module.parent() == Some(own)
}

fn has_end(path: &Path, ends: &[&str]) -> bool {
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| ends.contains(&end))
}

fn is_python(path: &Path, text: &str) -> bool {
    has_end(path, &["py"]) || is_for(text, &["python"])
}

fn is_script(path: &Path, text: &str) -> bool {
    has_end(path, &["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"])
        || is_for(text, &["node", "deno", "bun"])
}

/// The endings of files in Ruby, PHP and Perl, and the interpreter of each. The last ending is that of programs.
const OTHERS: &[(&[&str], &str)] = &[(&["rb"], "ruby"), (&["php"], "php"), (&["pm", "pl"], "perl")];

/// Returns whether a program is in this other language.
fn is_other(path: &Path, text: &str, (ends, interpreter): &(&[&str], &str)) -> bool {
    has_end(path, &ends[ends.len() - 1..]) || is_for(text, &[interpreter])
}

/// Returns whether the first line of a program names one of these interpreters.
fn is_for(text: &str, interpreters: &[&str]) -> bool {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    interpreters.iter().any(|name| first.contains(name))
}

fn is_makefile(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    has_end(path, &["mk", "make"])
        || ["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile"].contains(&name)
}

fn is_shell(path: &Path, text: &str) -> bool {
    is_makefile(path) || !is_python(path, text) && !is_script(path, text)
}
