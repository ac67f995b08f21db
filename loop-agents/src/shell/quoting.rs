//! Finds the places in a shell's line where a quoted word keeps its meaning.
//!
//! A prompt in a command line is safe inside single quotes, but only where the shell reads single quotes as such.
//! Inside double quotes, in a here-document or in arithmetic they are plain characters, and the shell would run a
//! `$(...)` in the prompt. So we read the line as a shell does, as far as necessary. We reject every other place, and
//! every place after something that two shells read differently.

use std::{fmt, mem};

/// Returns a single-quoted word that a shell reads as `text`, byte for byte. `text` must not contain NUL.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The reason why a place in a command line cannot contain a quoted word, such as the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotingError {
    /// Between single quotes.
    SingleQuotes,
    /// Between double quotes.
    DoubleQuotes,
    /// Between backquotes.
    Backquotes,
    /// After a backslash or a dollar sign, which would change our quotes.
    Prefixed,
    /// In a comment.
    Comment,
    /// After a `<<`, where a here-document may be.
    HereDocument,
    /// In `${...}`, `$((...))`, `((...))` or `name[...]`.
    Expansion,
    /// After something that shells read differently.
    Unclear,
}

impl fmt::Display for QuotingError {
    /// Explains what is wrong, and what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SingleQuotes => {
                "it is inside single quotes; remove them, because it is quoted automatically"
            }
            Self::DoubleQuotes => {
                "it is inside double quotes; remove them, because it is quoted automatically"
            }
            Self::Backquotes => "it is inside backquotes; write `$(...)` instead",
            Self::Prefixed => "it directly follows a backslash or a dollar sign; put a space between them",
            Self::Comment => "it is in a comment, and the shell would run its second line; remove it",
            Self::HereDocument => {
                "it comes after `<<`, and nothing can be quoted in a here-document; put it before that"
            }
            Self::Expansion => {
                "it is inside an expansion or an arithmetic expression; make it a separate word"
            }
            Self::Unclear => "different shells read the text before it differently; put it before that text",
        })
    }
}

/// Returns why a quoted word at byte `place` of `line` is not safe, or `None` if the shell would read it as one word.
pub(super) fn problem_at(line: &str, place: usize) -> Option<QuotingError> {
    let before = &line.as_bytes()[..place];
    let mut scan = Scan::default();
    let mut at = 0;
    while at < before.len() {
        at += scan.step(before, at);
    }
    let escaped = at > before.len();
    if scan.unclear {
        // The scan found something unclear, so its other results are not reliable.
        return Some(QuotingError::Unclear);
    }
    scan.stack.iter().find_map(|inside| inside.problem()).or_else(|| {
        if scan.here_document {
            Some(QuotingError::HereDocument)
        } else {
            (escaped || before.ends_with(b"$")).then_some(QuotingError::Prefixed)
        }
    })
}

/// The construct around a byte. At the top level, and inside of parentheses, there are commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Single,
    Double,
    Back,
    Comment,
    /// `$(...)` and `(...)`. From this byte on, they contain commands again.
    Parentheses(usize),
    /// `${...}`, and `name[...]`, which some shells evaluate: up to this byte.
    Until(u8),
    /// `$((...))` and `((...))`, with this many parentheses open.
    Arithmetic(u32),
}

impl Inside {
    fn problem(self) -> Option<QuotingError> {
        match self {
            Self::Single => Some(QuotingError::SingleQuotes),
            Self::Double => Some(QuotingError::DoubleQuotes),
            Self::Back => Some(QuotingError::Backquotes),
            Self::Comment => Some(QuotingError::Comment),
            Self::Parentheses(_) => None,
            Self::Until(_) | Self::Arithmetic(_) => Some(QuotingError::Expansion),
        }
    }
}

/// Whether a word may begin here, because `#` begins a comment only there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Word {
    #[default]
    Begins,
    GoesOn,
    /// After a closing parenthesis: a subshell's parenthesis ends a word, an expansion's does not.
    Unclear,
}

#[derive(Debug, Default)]
struct Scan {
    stack: Vec<Inside>,
    word: Word,
    /// Whether there was a `<<`. We do not look for the end of its document.
    here_document: bool,
    unclear: bool,
}

impl Scan {
    /// Reads the token at `at`, and returns its length. An escape at the end reaches beyond the line.
    fn step(&mut self, line: &[u8], at: usize) -> usize {
        let inside = self.stack.last().copied();
        let word = mem::replace(&mut self.word, Word::GoesOn);
        match (inside, line[at]) {
            (Some(Inside::Single), b'\'') | (Some(Inside::Double), b'"') | (Some(Inside::Back), b'`') => {
                self.stack.pop();
            }
            (Some(Inside::Single), _) => {}
            (Some(Inside::Comment), byte) => {
                if byte == b'\n' {
                    self.stack.pop();
                    self.word = Word::Begins;
                }
            }
            (_, b'\\') => return self.escape(line, at, inside, word),
            (Some(Inside::Back), _) => {}
            (_, b'`') => self.stack.push(Inside::Back),
            (_, b'$') => return self.dollar(line, at, inside),
            (Some(Inside::Double), _) => {}
            (Some(Inside::Until(_)), b'\'' | b'"') => self.unclear = true,
            (Some(Inside::Until(end)), byte) => {
                if byte == end {
                    self.stack.pop();
                } else if byte == b'[' {
                    self.stack.push(Inside::Until(b']'));
                } else if end == b']' {
                    // For some shells, `name[` is the beginning of a plain word, and `${x#[}` is complete.
                    self.unclear |= b" \t\n#<>();&|{}".contains(&byte);
                }
            }
            (Some(Inside::Arithmetic(open)), byte) => self.arithmetic(open, byte, &line[..at]),
            (None | Some(Inside::Parentheses(_)), byte) => return self.command(line, at, byte, word),
        }
        1
    }

    /// Reads a backslash. The shell removes a backslash before a newline, and may then join the two sides: `$` and `(`,
    /// for example. Between words there is nothing to join.
    fn escape(&mut self, line: &[u8], at: usize, inside: Option<Inside>, word: Word) -> usize {
        if line.get(at + 1) == Some(&b'\n') {
            self.word = word;
            let last = line[..at].last();
            self.unclear |= match inside {
                Some(Inside::Double) => last == Some(&b'$'),
                _ => !last.is_none_or(|last| b" \t\n".contains(last)),
            };
        }
        2
    }

    /// Reads an expansion, in a command or in double quotes.
    fn dollar(&mut self, line: &[u8], at: usize, inside: Option<Inside>) -> usize {
        let (inner, length) = match &line[at + 1..] {
            [b'(', b'(', ..] => (Inside::Arithmetic(2), 3),
            [b'(', ..] => {
                self.word = Word::Begins;
                (Inside::Parentheses(at + 2), 2)
            }
            // Some shells run the commands in `${ ...; }`.
            [b'{', b' ' | b'\t' | b'\n' | b'|', ..] => {
                self.unclear = true;
                return 2;
            }
            [b'{', ..] => (Inside::Until(b'}'), 2),
            // The shell's own PID, and not the beginning of another expansion.
            [b'$', ..] => return 2,
            // Some shells read these as quotes with escapes, or as arithmetic, and others as plain text.
            [quote_or_bracket @ (b'\'' | b'['), ..] => {
                self.unclear |= *quote_or_bracket == b'[' || inside != Some(Inside::Double);
                return 1;
            }
            _ => return 1,
        };
        self.stack.push(inner);
        length
    }

    /// Reads a byte of arithmetic, and counts its parentheses. A subshell in `$(...)` can begin like arithmetic. It
    /// then contains other characters, or its last two parentheses are apart.
    fn arithmetic(&mut self, open: u32, byte: u8, before: &[u8]) {
        self.unclear |= !byte.is_ascii_alphanumeric() && !b"_ \t()+-*/%<>=!&|^~?:,".contains(&byte);
        let open = match byte {
            b'(' => open + 1,
            b')' => open - 1,
            _ => open,
        };
        self.stack.pop();
        if open > 0 {
            self.stack.push(Inside::Arithmetic(open));
        } else {
            self.unclear |= !before.ends_with(b")");
        }
    }

    /// Reads a byte of a command, outside of all quotes.
    fn command(&mut self, line: &[u8], at: usize, byte: u8, word: Word) -> usize {
        if b" \t;&|<>(".contains(&byte) {
            self.word = Word::Begins;
        }
        match byte {
            b'\'' => self.stack.push(Inside::Single),
            b'"' => self.stack.push(Inside::Double),
            b'#' if word == Word::Begins => self.stack.push(Inside::Comment),
            b'#' => self.unclear |= word == Word::Unclear,
            b'(' if line[at..].starts_with(b"((") => {
                // For some shells, these are two subshells, in which `<<` begins a here-document.
                self.unclear |= line[at..].windows(2).any(|pair| pair == b"<<");
                self.stack.push(Inside::Arithmetic(2));
                return 2;
            }
            b'(' => {
                // Some shells read this as a list of values. For others it is an error, after which they continue at
                // the next line.
                self.unclear |= line[..at].ends_with(b"=");
                self.stack.push(Inside::Parentheses(at + 1));
            }
            b'[' if ends_in_name(&line[..at]) => self.stack.push(Inside::Until(b']')),
            b')' => self.close_parenthesis(line, at),
            b'\n' => self.word = Word::Begins,
            b'<' if line[at..].starts_with(b"<<<") => return 3,
            b'<' if line[at..].starts_with(b"<<") => self.here_document = true,
            _ => {}
        }
        1
    }

    fn close_parenthesis(&mut self, line: &[u8], at: usize) {
        self.word = Word::Unclear;
        if let Some(Inside::Parentheses(from)) = self.stack.pop() {
            // The patterns of a `case` have their own closing parentheses.
            self.unclear |= line[from..at].windows(4).any(|word| word == b"case");
        }
    }
}

fn ends_in_name(before: &[u8]) -> bool {
    before.last().is_some_and(|last| last.is_ascii_alphanumeric() || *last == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> Option<QuotingError> {
        problem_at(line, line.find("{prompt}").unwrap())
    }

    #[test]
    fn plain_places_take_the_prompt() {
        for line in [
            "{prompt}",
            "agent -p {prompt} 'other' \"words\"",
            "agent --prompt={prompt}",
            "'it' \"is\" `pwd` {prompt}",
            "echo \"$(pwd | sed 's/\"//')\" ${X:-y} $((1 << (2 + 1))) {prompt}",
            "(cd /tmp && agent {prompt})",
            "x=$(agent {prompt})",
            "agent a#b $# ${#x} {prompt}",
            "# it's a comment\nagent {prompt}",
            r#"agent \" \' {prompt}"#,
            r#"agent "\"" {prompt}"#,
            "cat <<< x\nagent {prompt}",
            "agent \\\n  \"two \\\nlines\" {prompt}",
            "agent {prompt} <<EOF\nEOF",
            "case x in x) agent {prompt};; esac",
            "[ -e x ] && agent .a[0] {prompt}",
            "ls file[0-9].[!ch] b[[:alpha:]] ${a[0]} ${x#[a-z]} && agent {prompt}",
        ] {
            assert_eq!(problem(line), None, "{line}");
        }
    }

    #[test]
    fn other_places_are_refused_with_their_reason() {
        for (line, expected) in [
            ("agent '{prompt}'", QuotingError::SingleQuotes),
            ("agent \"{prompt}\"", QuotingError::DoubleQuotes),
            ("agent \"$(echo {prompt})\"", QuotingError::DoubleQuotes),
            ("agent `echo {prompt}`", QuotingError::Backquotes),
            (r"agent \{prompt}", QuotingError::Prefixed),
            ("agent ${prompt}", QuotingError::Prefixed),
            ("true # {prompt}", QuotingError::Comment),
            ("true;# it's {prompt}", QuotingError::Comment),
            ("true \\\n# {prompt}", QuotingError::Comment),
            ("true \\ # \"{prompt}", QuotingError::DoubleQuotes),
            ("(true)# {prompt}", QuotingError::Unclear),
            ("echo $${x:- # }{prompt}", QuotingError::Comment),
            ("echo $((case a in a) ){prompt}))", QuotingError::Unclear),
            ("cat <<EOF\n{prompt}\nEOF", QuotingError::HereDocument),
            ("cat <<-'EOF' # x\n{prompt}\nEOF", QuotingError::HereDocument),
            ("cat <<EOF{prompt}", QuotingError::HereDocument),
            ("echo $((1 + {prompt}))", QuotingError::Expansion),
            ("echo ${x:-{prompt}}", QuotingError::Expansion),
            ("(({prompt}))", QuotingError::Expansion),
            ("a[{prompt}]=1", QuotingError::Expansion),
            ("echo $[{prompt}]", QuotingError::Unclear),
            ("x=(;{prompt}", QuotingError::Unclear),
            ("echo $(( # )){prompt}}", QuotingError::Unclear),
            ("echo \"$\\\n(echo '\"' '{prompt}')\"", QuotingError::Unclear),
            ("echo \"$(echo '\"' '{prompt}')\"", QuotingError::DoubleQuotes),
            ("echo $'it\\'s' {prompt}", QuotingError::Unclear),
            ("echo $'x' {prompt}", QuotingError::Unclear),
            ("echo \"${x#'\"'}\" {prompt}", QuotingError::Unclear),
            ("echo \"$(case a in a) echo '\"';; esac)\" {prompt}", QuotingError::Unclear),
            ("echo a[ # ] {prompt}", QuotingError::Unclear),
            ("cat a[ <<EOF\n] {prompt}\nEOF", QuotingError::Unclear),
            ("echo ${x#[} # ]} {prompt}", QuotingError::Unclear),
            ("((cat <<b))\n{prompt}\nb", QuotingError::Unclear),
            ("echo ${ : # } {prompt}\n}", QuotingError::Unclear),
        ] {
            assert_eq!(problem(line), Some(expected), "{line}");
        }
    }
}
