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
    /// The bytes with which a matching path begins.
    prefix: Vec<u8>,
    /// The steps that the rest of the path has to match.
    steps: Vec<Step>,
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
                && pattern.matches(if pattern.is_path { path } else { name })
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
        // Git compares what precedes the first special character by itself, so `d**/a` also has a leading `**`.
        let is_special = |byte: &u8| b"*?[\\".contains(byte);
        let prefix = if is_path { text.iter().position(is_special).unwrap_or(text.len()) } else { 0 };
        let (prefix, rest) = text.split_at(prefix);
        let steps = steps(rest, is_path);
        (!text.is_empty()).then(|| Self {
            prefix: prefix.to_owned(),
            steps,
            is_negated,
            is_for_folders,
            is_path,
        })
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

/// A part of a pattern.
#[derive(Debug)]
enum Step {
    Byte(u8),
    /// One byte for which the table says `true`.
    Set(Box<[bool; 256]>),
    /// Any bytes but slashes.
    Star,
    /// Any bytes.
    Deep,
    /// Any folders with the slash after them, or nothing: `**/`.
    Folders,
    /// A part that matches nothing, such as a class that is never closed.
    Never,
}

/// Compiles a pattern. Two stars or more match slashes only if they are a whole step of a path.
fn steps(pattern: &[u8], is_path: bool) -> Vec<Step> {
    let (mut steps, mut at) = (Vec::new(), 0);
    while let Some(byte) = pattern.get(at) {
        let rest = &pattern[at..];
        let (step, length) = match byte {
            b'*' => {
                let stars = rest.iter().take_while(|byte| **byte == b'*').count();
                let after = &rest[stars..];
                let is_whole = (at == 0 || pattern[at - 1] == b'/')
                    && (after.is_empty() || after.starts_with(b"/") || after.starts_with(b"\\/"));
                match is_path && stars > 1 && is_whole {
                    true if after.starts_with(b"/") => (Step::Folders, stars + 1),
                    true => (Step::Deep, stars),
                    false => (Step::Star, stars),
                }
            }
            b'?' => (Step::Set(Box::new(std::array::from_fn(|byte| byte != usize::from(b'/')))), 1),
            b'\\' => (rest.get(1).map_or(Step::Never, |byte| Step::Byte(*byte)), 2),
            b'[' => {
                class(pattern, at + 1).map_or((Step::Never, 1), |(set, after)| (Step::Set(set), after - at))
            }
            byte => (Step::Byte(*byte), 1),
        };
        steps.push(step);
        at += length;
    }
    steps
}

/// Compiles the class at `start`, and returns the position after it; `None` if it matches nothing.
fn class(pattern: &[u8], start: usize) -> Option<(Box<[bool; 256]>, usize)> {
    let (mut set, mut after) = (Box::new([false; 256]), None);
    for byte in (0..=u8::MAX).filter(|byte| *byte != b'/') {
        if let Some(end) = matches_class(pattern, start, byte) {
            set[usize::from(byte)] = true;
            after = Some(end);
        }
    }
    Some((set, after?))
}

impl Pattern {
    /// Follows all ways through the steps at once.
    fn matches(&self, path: &[u8]) -> bool {
        let Some(rest) = path.strip_prefix(&*self.prefix) else { return false };
        // The steps that begin here, and the ones that are within a folder's name.
        let mut begun = vec![false; self.steps.len() + 1];
        let mut within = begun.clone();
        begun[0] = true;
        self.skip_empty(&mut begun);
        for byte in rest {
            let (mut now_begun, mut now_within) = (vec![false; begun.len()], vec![false; begun.len()]);
            for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| begun[*at] || within[*at]) {
                match step {
                    Step::Byte(own) => now_begun[at + 1] |= own == byte,
                    Step::Set(set) => now_begun[at + 1] |= set[usize::from(*byte)],
                    Step::Star => now_begun[at] |= *byte != b'/',
                    Step::Deep => now_begun[at] = true,
                    Step::Folders => {
                        now_within[at] = true;
                        now_begun[at + 1] |= *byte == b'/';
                    }
                    Step::Never => {}
                }
            }
            self.skip_empty(&mut now_begun);
            (begun, within) = (now_begun, now_within);
        }
        begun[self.steps.len()]
    }

    /// Also begins what follows steps that may match nothing.
    fn skip_empty(&self, begun: &mut [bool]) {
        for (at, step) in self.steps.iter().enumerate() {
            begun[at + 1] |= begun[at] && matches!(step, Step::Star | Step::Deep | Step::Folders);
        }
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
