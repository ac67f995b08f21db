//! A program's arguments, parted into options, their values and operands.

use super::table::{Operands, Program};

/// What the arguments of one program are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words<'a> {
    /// The options, each with its dashes and without its value; of `-la`, `-l` and `-a`.
    pub(super) options: Vec<String>,
    /// The paths that it is told to read.
    pub(super) paths: Vec<&'a str>,
    /// The other words.
    pub(super) texts: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Parts `arguments` as `program` does.
    pub(super) fn of(program: &Program, arguments: &'a [String]) -> Self {
        if program.operands == Operands::PathsThenExpression {
            return Self::of_expression(arguments);
        }
        let mut words = Self::default();
        let mut operands = Vec::new();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word.strip_prefix('-') {
                Some("-") => operands.extend(rest.by_ref()),
                Some(long) if long.starts_with('-') => words.long(program, word, &mut rest),
                Some(letters) if !letters.is_empty() => words.short(program, letters, &mut rest),
                // `-` alone is the standard input, and stands where a file's name would.
                _ => operands.push(word),
            }
        }
        words.sort_out(program, operands);
        words
    }

    /// Whether this option is given, also by a part of its name, as most programs take it.
    pub(super) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|given| means(given, option))
    }

    /// `find`: paths come first, and options have one dash and no abbreviations.
    fn of_expression(arguments: &'a [String]) -> Self {
        let begins = |word: &&String| word.starts_with(['-', '(', ')', '!', ',']);
        let options = arguments.iter().filter(|word| word.starts_with('-')).cloned().collect();
        let global = arguments.iter().take_while(|word| ["-P", "-L", "-H"].contains(&word.as_str())).count();
        let paths = arguments[global..].iter().take_while(|word| !begins(word)).map(String::as_str).collect();
        Self { options, paths, texts: Vec::new() }
    }

    fn long(&mut self, program: &Program, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        let (name, attached) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let is_in = |options: &[&str]| options.iter().any(|option| means(name, option));
        let value = attached.or_else(|| {
            let takes_next = is_in(program.valued) || is_in(program.files);
            takes_next.then(|| rest.next()).flatten()
        });
        self.options.push(name.to_owned());
        match value {
            Some(path) if is_in(program.files) || leads_out(path) => self.paths.push(path),
            Some(text) => self.texts.push(text),
            None => {}
        }
    }

    fn short(&mut self, program: &Program, letters: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let is_file = program.files.contains(&name.as_str());
            let is_valued = is_file || program.valued.contains(&name.as_str());
            self.options.push(name);
            if is_valued {
                let attached = &letters[at + letter.len_utf8()..];
                let value = if attached.is_empty() { rest.next() } else { Some(attached) };
                if is_file {
                    self.paths.extend(value);
                } else {
                    self.texts.extend(value);
                }
                return;
            }
        }
    }

    fn sort_out(&mut self, program: &Program, operands: Vec<&'a str>) {
        match program.operands {
            Operands::Text => self.texts.extend(operands),
            Operands::TextThenPaths(unless) if !unless.iter().any(|option| self.has(option)) => {
                let mut operands = operands.into_iter();
                self.texts.extend(operands.next());
                self.paths.extend(operands);
            }
            _ => self.paths.extend(operands),
        }
    }
}

/// Whether an option as it was given is this one. The beginning of a long name counts for the whole.
pub(super) fn means(given: &str, option: &str) -> bool {
    given == option || (given.len() > 2 && given.starts_with("--") && option.starts_with(given))
}

/// Whether the value of an option that we do not know is a path to somewhere else.
fn leads_out(value: &str) -> bool {
    value.starts_with('/') || value.starts_with("../") || value == ".."
}
