//! Splits a shell line into the words of its commands.

use std::{iter::Peekable, mem, str::Chars};

/// Returns the words of every command in `line`, inner commands before the commands that contain them. Returns nothing
/// if a quote or a bracket is never closed.
pub(super) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut lexer = Lexer {
        signs: line.chars().peekable(),
        within: Vec::new(),
        frame: Frame::default(),
        done: Vec::new(),
    };
    while let Some(sign) = lexer.signs.next() {
        lexer.take(sign)?;
    }
    lexer.end_command();
    (lexer.within.is_empty() && !lexer.frame.quoted).then_some(lexer.done)
}

struct Lexer<'a> {
    signs: Peekable<Chars<'a>>,
    /// The outer levels, which continue when the innermost bracket closes.
    within: Vec<Frame>,
    frame: Frame,
    done: Vec<Vec<String>>,
}

/// One level of brackets.
#[derive(Default)]
struct Frame {
    words: Vec<String>,
    /// The current word, once it has begun.
    word: Option<String>,
    /// Whether the lexer is inside double quotes.
    quoted: bool,
    /// Whether the next word is the file of a redirection and not an argument.
    redirected: bool,
    /// The character that closes this level.
    end: Option<char>,
}

impl Lexer<'_> {
    fn take(&mut self, sign: char) -> Option<()> {
        match (sign, self.frame.quoted) {
            // A backslash before a line feed joins two lines.
            ('\\', _) => match self.signs.next()? {
                '\n' => {}
                sign => self.push(sign),
            },
            ('"', quoted) => {
                self.begin_word();
                self.frame.quoted = !quoted;
            }
            ('$', _) if self.signs.next_if_eq(&'(').is_some() => {
                self.begin_word();
                self.open(')');
            }
            ('`', _) if self.frame.end == Some('`') => self.close(),
            ('`', _) => {
                self.begin_word();
                self.open('`');
            }
            (sign, true) => self.push(sign),
            ('\'', false) => self.take_literal()?,
            ('#', false) if self.frame.word.is_none() => {
                while self.signs.next_if(|it| *it != '\n').is_some() {}
            }
            ('\n' | ';' | '&' | '|', false) => self.end_command(),
            ('(', false) => {
                self.end_word();
                self.frame.redirected = false;
                self.open(')');
            }
            (')', false) if self.frame.end == Some(')') => self.close(),
            // This ends a pattern of `case`.
            (')', false) => self.end_command(),
            ('<' | '>', false) => self.redirect(),
            (space, false) if space.is_ascii_whitespace() => self.end_word(),
            (sign, false) => self.push(sign),
        }
        Some(())
    }

    fn begin_word(&mut self) -> &mut String {
        self.frame.word.get_or_insert_default()
    }

    fn push(&mut self, sign: char) {
        self.begin_word().push(sign);
    }

    /// Reads up to the next single quote.
    fn take_literal(&mut self) -> Option<()> {
        self.begin_word();
        loop {
            match self.signs.next()? {
                '\'' => return Some(()),
                sign => self.push(sign),
            }
        }
    }

    fn redirect(&mut self) {
        // A number before it is a file descriptor, as in `2>&1`.
        self.frame.word.take_if(|word| word.chars().all(|sign| sign.is_ascii_digit()));
        self.end_word();
        while self.signs.next_if(|sign| "<>&|".contains(*sign)).is_some() {}
        self.frame.redirected = true;
    }

    fn end_word(&mut self) {
        if let Some(word) = self.frame.word.take()
            && !mem::take(&mut self.frame.redirected)
        {
            self.frame.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.frame.redirected = false;
        let words = mem::take(&mut self.frame.words);
        if !words.is_empty() {
            self.done.push(words);
        }
    }

    fn open(&mut self, end: char) {
        let inner = Frame { end: Some(end), ..Frame::default() };
        self.within.push(mem::replace(&mut self.frame, inner));
    }

    fn close(&mut self) {
        self.end_command();
        self.frame = self.within.pop().unwrap_or_default();
    }
}
