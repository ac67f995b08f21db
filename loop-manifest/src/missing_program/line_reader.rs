//! Reads the beginning of a shell line, as far as it has one certain meaning.

/// Signs with which a line may still succeed, although its first command does not.
const GOES_ON: [&str; 4] = ["||", ";", "&", "\n"];

/// The unread part of a line. Each method returns `None`, or reads nothing, where it does not understand the line.
pub(super) struct LineReader<'a> {
    rest: &'a str,
}

impl<'a> LineReader<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Skips the brackets of subshells and groups. `((` is arithmetic.
    pub(super) fn skip_brackets(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            let is_group = self.rest.starts_with("{ ") || self.rest.starts_with("{\n");
            if !is_group && !self.rest.starts_with('(') {
                return Some(());
            }
            self.rest = &self.rest[1..];
            (is_group || !self.rest.starts_with('(')).then_some(())?;
        }
    }

    /// Skips `NAME=value`, and returns the name. Returns `Some(None)` if something else is next.
    #[expect(clippy::option_option, reason = "what is next may be unclear, or clearly no assignment")]
    pub(super) fn assignment(&mut self) -> Option<Option<&'a str>> {
        self.skip_blanks();
        let end = self.rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        let (name, value) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let is_name = name.starts_with(|sign: char| !sign.is_ascii_digit());
        let Some(value) = value.strip_prefix('=').filter(|_| is_name) else { return Some(None) };
        self.rest = value;
        let is_empty = value.is_empty() || value.starts_with(is_end_of_word);
        (is_empty || self.word_here().is_some()).then_some(Some(name))
    }

    /// Returns the next word, if it has no quotes and nothing that a shell expands.
    pub(super) fn plain_word(&mut self) -> Option<&'a str> {
        let word = self.word().filter(|word| is_plain(word))?;
        // A word before a bracket names a function, and digits before `<` or `>` a file descriptor.
        (!self.rest.trim_start().starts_with('(') && !self.rest.starts_with(['<', '>'])).then_some(word)
    }

    /// Returns the next word, as the line has it.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        self.word_here()
    }

    fn word_here(&mut self) -> Option<&'a str> {
        let end = word_length(self.rest).filter(|length| *length > 0)?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }

    /// Skips the end of a command after which the next command certainly runs, if this one succeeds.
    pub(super) fn skip_end_of_command(&mut self) -> bool {
        self.skip_blanks();
        let next = ["&&", ";", "\n"].into_iter().find_map(|sign| self.rest.strip_prefix(sign));
        let next = next.filter(|next| !next.starts_with([';', '&']));
        self.rest = next.unwrap_or(self.rest);
        next.is_some()
    }

    /// Skips the sign between the commands of a pipeline.
    pub(super) fn skip_pipe(&mut self) -> bool {
        self.skip_blanks();
        let next = self.rest.strip_prefix('|').filter(|next| !next.starts_with(['|', '&']));
        self.rest = next.unwrap_or(self.rest);
        next.is_some()
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }
}

/// Returns whether a word is a name or a path that no shell changes.
pub(super) fn is_plain(word: &str) -> bool {
    word.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.+/".contains(sign))
}

/// Returns whether a line that failed in its first command may still do something after it.
pub(super) fn goes_on(rest: &str) -> bool {
    let rest = rest.trim_end_matches(|sign: char| sign.is_whitespace() || ";)}".contains(sign));
    // Quotes in substitutions are too hard to pair.
    let is_nested = ["$(", "${", "$'", "`"].iter().any(|sign| rest.contains(sign));
    let seen = if is_nested { Some(rest.to_owned()) } else { unquoted(rest) };
    seen.is_none_or(|seen| {
        let seen = ["&&", ">&", "<&"].into_iter().fold(seen, |seen, sign| seen.replace(sign, " "));
        GOES_ON.iter().any(|sign| seen.contains(sign))
    })
}

/// Returns the text without what is quoted. Returns `None` if a quote does not end.
fn unquoted(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = quoted_length(rest)?;
        if length == 0 {
            plain.push(sign);
        }
        rest = &rest[length.max(sign.len_utf8())..];
    }
    Some(plain)
}

/// Returns the length of the word at the beginning of a text. Returns `None` for a word with a substitution.
fn word_length(text: &str) -> Option<usize> {
    let mut length = 0;
    while let Some(sign) = text[length..].chars().next() {
        let rest = &text[length..];
        let next = rest[sign.len_utf8()..].chars().next();
        match sign {
            _ if is_end_of_word(sign) => break,
            '`' => return None,
            '$' if next.is_some_and(|next| "({'\"".contains(next)) => return None,
            '#' if length == 0 => return None,
            _ => {
                let quoted = quoted_length(rest)?;
                let is_nested = rest[..quoted].starts_with('"')
                    && ["$(", "${", "`"].iter().any(|sign| rest[..quoted].contains(sign));
                (!is_nested).then_some(())?;
                length += quoted.max(sign.len_utf8());
            }
        }
    }
    Some(length)
}

/// Returns the length of a quoted text with its quotes, or of a backslash and the sign after it; 0 for anything else.
/// Returns `None` if it does not end.
fn quoted_length(text: &str) -> Option<usize> {
    let mut signs = text.char_indices().skip(1);
    match text.chars().next()? {
        '\'' => signs.find(|(_, sign)| *sign == '\'').map(|(at, _)| at + 1),
        '\\' => signs.next().map(|(at, sign)| at + sign.len_utf8()),
        '"' => loop {
            match signs.next()? {
                (at, '"') => return Some(at + 1),
                (_, '\\') => drop(signs.next()),
                _ => {}
            }
        },
        _ => Some(0),
    }
}

/// Returns whether no word contains this sign outside of quotes.
fn is_end_of_word(sign: char) -> bool {
    matches!(sign, ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' | '<' | '>')
}
