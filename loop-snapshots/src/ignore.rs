//! The patterns of `.gitignore` files, with git's meaning.
//!
//! Matching takes time proportional to the product of the lengths of pattern and path at most, so that no pattern of a
//! hostile folder keeps a capture busy.

/// The patterns of one file, in its order.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: Vec<u8>,
    is_negated: bool,
    is_for_folders: bool,
    /// Whether the pattern describes a path below the file's folder, and not a name anywhere below it.
    is_path: bool,
}

impl Rules {
    pub(crate) fn parse(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        Self { patterns: text.split(|byte| *byte == b'\n').filter_map(Pattern::parse).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns whether the last pattern that matches `path`, which is relative to the file's folder, ignores it.
    /// Returns `None` if no pattern matches.
    pub(crate) fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let matches = |pattern: &&Pattern| {
            (is_folder || !pattern.is_for_folders)
                && if pattern.is_path {
                    matches_path(&pattern.text, path)
                } else {
                    matches_name(&pattern.text, name)
                }
        };
        self.patterns.iter().rev().find(matches).map(|pattern| !pattern.is_negated)
    }
}

impl Pattern {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first() == Some(&b'#') {
            return None;
        }
        let text = without_trailing_spaces(line);
        let (text, is_negated) = text.strip_prefix(b"!").map_or((text, false), |text| (text, true));
        let (text, is_for_folders) = text.strip_suffix(b"/").map_or((text, false), |text| (text, true));
        let is_path = text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        (!text.is_empty()).then(|| Self { text: text.to_owned(), is_negated, is_for_folders, is_path })
    }
}

/// Removes spaces at the end, except one after a backslash and what precedes it.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let (mut end, mut at) = (0, 0);
    while at < line.len() {
        if line[at] == b'\\' {
            at = (at + 2).min(line.len());
            end = at;
        } else {
            at += 1;
            if line[at - 1] != b' ' {
                end = at;
            }
        }
    }
    &line[..end]
}

/// Matches step by step, where a step of two or more stars is any number of steps (at its end: one or more).
fn matches_path(pattern: &[u8], path: &[u8]) -> bool {
    let steps: Vec<_> = pattern.split(|byte| *byte == b'/').collect();
    let names: Vec<_> = path.split(|byte| *byte == b'/').collect();
    // Whether the steps from here on match the names from each position on.
    let mut rest = vec![false; names.len() + 1];
    rest[names.len()] = true;
    for (number, step) in steps.iter().enumerate().rev() {
        let mut now = vec![false; names.len() + 1];
        for at in (0..=names.len()).rev() {
            now[at] = if step.len() > 1 && step.iter().all(|byte| *byte == b'*') {
                let is_last = number + 1 == steps.len();
                let consumes = at < names.len() && (now[at + 1] || rest[at + 1]);
                if is_last { consumes } else { rest[at] || consumes }
            } else {
                at < names.len() && rest[at + 1] && matches_name(step, names[at])
            };
        }
        rest = now;
    }
    rest[0]
}

/// Matches a name without slashes.
fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    // The last star: where the pattern goes on behind it, and the first byte of the name that it has not consumed.
    let mut star = None;
    loop {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            star = Some((at, next));
            continue;
        }
        if at == pattern.len() && next == name.len() {
            return true;
        }
        if let Some(after) = name.get(next).and_then(|byte| matches_byte(pattern, at, *byte)) {
            (at, next) = (after, next + 1);
            continue;
        }
        match star {
            Some((after, from)) if from < name.len() => {
                star = Some((after, from + 1));
                (at, next) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// Returns where the pattern goes on if its element at `at` matches the byte.
fn matches_byte(pattern: &[u8], at: usize, byte: u8) -> Option<usize> {
    match *pattern.get(at)? {
        b'?' => Some(at + 1),
        b'[' => matches_class(pattern, at + 1, byte),
        b'\\' => (*pattern.get(at + 1)? == byte).then_some(at + 2),
        literal => (literal == byte).then_some(at + 1),
    }
}

fn matches_class(pattern: &[u8], start: usize, byte: u8) -> Option<usize> {
    let is_negated = matches!(pattern.get(start), Some(b'!' | b'^'));
    let first = start + usize::from(is_negated);
    let (mut at, mut is_in) = (first, false);
    loop {
        match *pattern.get(at)? {
            b']' if at > first => return (is_in != is_negated).then_some(at + 1),
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let name = &pattern[at + 2..];
                let length = name.iter().position(|byte| *byte == b']')?;
                let Some(class) = name[..length].strip_suffix(b":") else {
                    // No class, but the character `[`.
                    is_in |= byte == b'[';
                    at += 1;
                    continue;
                };
                is_in |= is_in_class(class, byte)?;
                at += 2 + length + 1;
            }
            _ => {
                let (low, after) = literal(pattern, at)?;
                let is_range =
                    pattern.get(after) == Some(&b'-') && pattern.get(after + 1).is_some_and(|b| *b != b']');
                let (high, after) = if is_range { literal(pattern, after + 1)? } else { (low, after) };
                is_in |= (low..=high).contains(&byte);
                at = after;
            }
        }
    }
}

fn literal(pattern: &[u8], at: usize) -> Option<(u8, usize)> {
    match *pattern.get(at)? {
        b'\\' => pattern.get(at + 1).map(|byte| (*byte, at + 2)),
        byte => Some((byte, at + 1)),
    }
}

fn is_in_class(class: &[u8], byte: u8) -> Option<bool> {
    Some(match class {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => matches!(byte, b' '..=b'~'),
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}
