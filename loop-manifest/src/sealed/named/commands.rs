//! A command, and the words in it.

use std::path::Path;

use loop_guardrails::policy::command::simple_commands;

use super::{
    super::{
        programs::{INTERPRETERS, RUNNERS, judges_files, judges_output, parts, plain_name},
        scripts, shell_text,
    },
    Scope, Search, UNITTEST,
};

/// Options whose value is the folder in which a program runs.
const FOLDER_OPTIONS: &[&str] = &["-C", "--chdir", "--directory", "--prefix", "--cwd", "--dir"];

impl Search<'_> {
    /// Looks at a command.
    pub(super) fn line(&mut self, command: &str, scope: &Scope) {
        if scope.depth == 0 {
            return;
        }
        self.notice_unittest(command);
        let own = self.folder.to_string_lossy();
        let command = command.replace("${PWD}", &own).replace("$PWD", &own);
        self.notice_path(&command);
        for command in shell_text::with_values(&command, false) {
            self.operands(&command, scope);
            let (command, printed) = shell_text::printed(&command);
            for inner in printed {
                self.line(&inner, &scope.printed());
            }
            self.pieces(&command, scope);
        }
    }

    /// Protects the files that unittest looks for, if a command or a script starts it.
    pub(super) fn notice_unittest(&mut self, text: &str) {
        if text.contains("unittest") {
            self.named.lines.insert(UNITTEST.to_owned());
        }
    }

    /// Notes the folders that a command or a script puts on PATH.
    pub(super) fn notice_path(&mut self, text: &str) {
        let words = text.split(|sign: char| sign.is_whitespace() || "\"';&".contains(sign));
        let lists = words.filter_map(|word| word.strip_prefix("PATH="));
        let entries = lists.flat_map(|list| list.split(':')).filter(|entry| !entry.contains(['$', '`']));
        self.named.programs.extend(entries.filter(|entry| !entry.is_empty()).map(str::to_owned));
    }

    fn pieces(&mut self, command: &str, scope: &Scope) {
        let mut scope = scope.clone();
        self.named.folders.insert(scope.base.clone());
        let pieces = parts(command);
        let runs_found_files = pieces.iter().any(|(piece, _)| runs_found_files(piece));
        for (at, (piece, end)) in pieces.iter().enumerate() {
            let words: Vec<_> = shlex::split(piece.trim()).unwrap_or_default();
            if let [first, to, ..] = &words[..]
                && first == "cd"
            {
                scope.base = self.below(&scope.base, to).unwrap_or(scope.base);
                self.named.folders.insert(scope.base.clone());
                continue;
            }
            let next = pieces.get(at + 1).map_or("", |(next, _)| next);
            let is_judged_next = *end == Some('|')
                && simple_commands(next).first().is_some_and(|next| judges_output(&next.program));
            let mut scope = if is_judged_next { scope.printed() } else { scope.clone() };
            scope.roots.extend(
                words
                    .iter()
                    .filter_map(|word| word.strip_prefix("PYTHONPATH="))
                    .flat_map(|list| list.split(':'))
                    .map(Into::into),
            );
            self.piece(piece, &words, &scope);
            if let Some(base) = self.folder_option(&words, &scope.base) {
                self.named.folders.insert(base.clone());
                self.piece(piece, &words, &scope.at(base));
            }
            if runs_found_files {
                self.found_files(&words, &scope);
            }
        }
    }

    fn piece(&mut self, piece: &str, words: &[String], scope: &Scope) {
        let commands = simple_commands(piece);
        // Of two files that have to be equal, `operands` knows which one judges.
        let is_known = |program: &str, arguments: &[String]| {
            ["diff", "cmp"].contains(&program) && !self.expected(arguments, scope).is_empty()
        };
        let judging = commands.iter().filter(|found| {
            !judges_files(&found.program, &found.arguments) && !is_known(&found.program, &found.arguments)
        });
        let judging: Vec<_> = judging.collect();
        for found in &judging {
            self.program(&found.program, &found.arguments, scope);
        }
        if judging.len() == commands.len() {
            self.words(words, false, scope);
        }
    }

    /// Returns the folder that an option of a program names.
    pub(super) fn folder_option(&self, words: &[String], base: &Path) -> Option<std::path::PathBuf> {
        let value = words.iter().enumerate().find_map(|(at, word)| {
            let joined =
                FOLDER_OPTIONS.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('='));
            let is_option = FOLDER_OPTIONS.contains(&word.as_str());
            joined.or_else(|| words.get(at + 1).filter(|_| is_option).map(String::as_str))
        });
        let folder = self.below(base, value?)?;
        self.is_folder(&folder).then_some(folder)
    }

    pub(super) fn words(&mut self, words: &[String], takes_folders: bool, scope: &Scope) {
        for word in words {
            if word.contains(char::is_whitespace) {
                self.line(word, &scope.inner());
                continue;
            }
            if word.contains(['*', '?']) && (takes_folders || word.ends_with(".sh")) {
                for path in self.matching(word, &scope.base) {
                    if !takes_folders || !self.is_judged(&path) {
                        self.add(&path, false, scope);
                    }
                }
                continue;
            }
            let word = word.trim_start_matches(['<', '@']);
            let value = word.split_once('=').map_or("", |(_, value)| value);
            for text in [word, value, word.split("::").next().unwrap_or(word)] {
                let text = scripts::behind_variable(text);
                if text.is_empty() {
                    continue;
                }
                if let Some(path) = self.below(&scope.base, text) {
                    self.add(&path, takes_folders, scope);
                    // As in `node --require ./setup`.
                    if text.starts_with("./") || text.starts_with("../") {
                        self.add_first(&scripts::script_places(&path), scope);
                    }
                }
            }
        }
    }

    /// Looks at a program and its arguments.
    fn program(&mut self, program: &str, arguments: &[String], scope: &Scope) {
        let name = plain_name(program);
        self.words(arguments, RUNNERS.contains(&name), scope);
        match name {
            "make" | "gmake" => self.make(arguments, scope),
            "python" | "pytest" | "py.test" => self.python(arguments, scope),
            "npm" | "pnpm" | "yarn" | "bun" => self.npm(arguments, scope),
            _ => {}
        }
    }
}

/// Returns whether a part of a command runs files that it, or another part, finds.
pub(super) fn runs_found_files(piece: &str) -> bool {
    let piece = piece.trim();
    let tail = piece.split_once(" -exec").map(|(_, tail)| tail.trim_start_matches("dir").trim_start());
    let is_loop = piece.starts_with("do ") || piece.split_whitespace().any(|word| word == "xargs");
    let Some(tail) = tail.or(is_loop.then_some(piece)) else { return false };
    let words = shlex::split(tail).unwrap_or_default();
    let name = |word: &String| {
        Path::new(word).file_name().and_then(|name| name.to_str()).map(str::to_owned).unwrap_or_default()
    };
    let has_interpreter = words.iter().any(|word| INTERPRETERS.contains(&plain_name(&name(word))));
    let commands = simple_commands(tail);
    tail.starts_with("{}")
        || has_interpreter && !commands.iter().any(|found| judges_files(&found.program, &found.arguments))
}
