//! Splits a program's arguments into options, their values and operands.

use super::table::{Operands, Program, is_in};

/// The parsed arguments of one program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedArguments<'a> {
    /// The options, each with its dashes and without its value; of `-la`, `-l` and `-a`.
    pub(super) options: Vec<String>,
    /// The paths of files to read.
    pub(super) paths: Vec<&'a str>,
    /// The other words: values of options, scripts, and operands that are not paths.
    pub(super) texts: Vec<&'a str>,
    /// The words that are neither options nor their values.
    pub(super) operands: Vec<&'a str>,
    /// The index where the options end, or the number of words.
    pub(super) end: usize,
}

impl<'a> ParsedArguments<'a> {
    /// Splits `arguments` as `program` would.
    pub(super) fn of(program: &Program, arguments: &'a [String]) -> Self {
        let mut words = Self { end: arguments.len(), ..Self::default() };
        match program.operands {
            Operands::Anything => words.texts.extend(arguments.iter().map(String::as_str)),
            Operands::Expression => words.expression(program, arguments),
            _ => words.arguments(program, arguments),
        }
        words
    }

    fn arguments(&mut self, program: &Program, arguments: &'a [String]) {
        let mut operands = Vec::new();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word.strip_prefix('-') {
                Some("-") => {
                    self.end = arguments.len() - rest.len() - 1;
                    operands.extend(rest.by_ref());
                }
                Some(long) if long.starts_with('-') => self.long(program, word, &mut rest),
                Some(letters) if !letters.is_empty() => self.short(program, letters, &mut rest),
                // A lone `-` is the standard input in place of a file name.
                _ => {
                    operands.push(word);
                    if program.is_ordered {
                        operands.extend(rest.by_ref());
                    }
                }
            }
        }
        self.operands = operands;
        self.sort_out(program);
    }

    /// Parses the arguments of `find`: options have one dash, and every other word that is not a value is a path, in
    /// any position.
    fn expression(&mut self, program: &Program, arguments: &'a [String]) {
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word {
                "--" | "(" | ")" | "!" | "," => {}
                _ if word.len() > 1 && word.starts_with('-') => {
                    self.options.push(word.to_owned());
                    if is_in(program.valued, word) {
                        self.texts.extend(rest.next());
                    } else if is_in(program.files, word) {
                        self.paths.extend(rest.next());
                    }
                }
                _ => self.paths.push(word),
            }
        }
    }

    fn long(&mut self, program: &Program, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        self.options.push(name.to_owned());
        if is_in(program.files, name) {
            self.paths.extend(value.or_else(|| rest.next()));
        } else if is_in(program.valued, name) {
            self.texts.extend(value.or_else(|| rest.next()));
        } else if is_in(program.pairs, name) {
            self.texts.extend(rest.take(2));
        } else {
            self.texts.extend(value);
        }
    }

    fn short(&mut self, program: &Program, letters: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        if is_in(program.flags, "-NUM") && letters.chars().all(|sign| sign.is_ascii_digit()) {
            self.options.push("-NUM".to_owned());
            return;
        }
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let attached = if program.is_detached { "" } else { &letters[at + letter.len_utf8()..] };
            let value = |rest: &mut dyn Iterator<Item = &'a str>| {
                if attached.is_empty() { rest.next() } else { Some(attached) }
            };
            let is_last = if is_in(program.files, &name) {
                self.paths.extend(value(rest));
                true
            } else if is_in(program.valued, &name) {
                self.texts.extend(value(rest));
                true
            } else {
                is_in(program.attached, &name)
            };
            self.options.push(name);
            if is_last && !program.is_detached {
                return;
            }
        }
    }

    fn sort_out(&mut self, program: &Program) {
        let operands = self.operands.iter().copied();
        match program.operands {
            Operands::Text | Operands::Format | Operands::Anything => self.texts.extend(operands),
            Operands::TextThenPaths(unless) if !self.options.iter().any(|given| is_in(unless, given)) => {
                let mut operands = operands;
                self.texts.extend(operands.next());
                self.paths.extend(operands);
            }
            _ => self.paths.extend(operands),
        }
    }
}

/// Returns whether `given` means this option. The beginning of a long name counts for the whole.
pub(super) fn means(given: &str, option: &str) -> bool {
    given == option || (given.len() > 2 && given.starts_with("--") && option.starts_with(given))
}

/// Returns whether `text` contains this word. A field of that name (`.include`) is a different word.
pub(super) fn says(text: &str, word: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !word.starts_with(is_part)
            || !(before.is_some_and(|sign| is_part(sign) || sign == '.') || behind.is_some_and(is_part))
    })
}
