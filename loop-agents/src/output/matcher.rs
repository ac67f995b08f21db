//! Searches a stream for a pattern, without keeping the stream.
//!
//! A check that looks for `0 failed` in the kept parts of a long output misses a match in the part that was cut. Here
//! the automaton reads every byte as it passes. Its memory is bounded (a lazily built DFA in a cache of fixed size),
//! and it also finds a match across two chunks.

use std::{fmt, sync::Arc};

use regex_automata::{
    Anchored, MatchKind,
    hybrid::{
        LazyStateID,
        dfa::{Cache, DFA},
    },
    nfa::thompson,
    util::start,
};
use regex_syntax::hir::{Hir, HirKind, Look};

/// The most memory that a compiled pattern may use, in bytes. A pattern like `\w{1000}{1000}` is an error, and does not
/// compile for hours.
const PATTERN_SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// The size of the cache of automaton states, in bytes. The cache is emptied when it is full, so this bounds memory but
/// not the patterns that can match.
const CACHE_CAPACITY: usize = 2 * 1024 * 1024;

/// A compiled pattern, cheap to clone. [`matcher`](Self::matcher) starts a search.
///
/// The syntax is that of Rust's `regex` crate, without look-around and backreferences. A search finds what
/// `regex::bytes::Regex::is_match` finds on the whole stream, with one difference: `\b` and similar boundaries consider
/// ASCII letters only, because a search byte by byte cannot see a boundary between characters of several bytes.
///
/// ```
/// use loop_agents::output::Pattern;
///
/// let mut matcher = Pattern::new(r"\b0 failed")?.matcher();
/// matcher.feed(b"12 passed, 0 fai");
/// matcher.feed(b"led");
/// assert!(matcher.finish());
/// # Ok::<(), loop_agents::output::PatternError>(())
/// ```
#[derive(Clone)]
pub struct Pattern {
    text: Arc<str>,
    dfa: Arc<DFA>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Fails if the pattern does not have this syntax, or needs more than 10 MiB when compiled.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        // As in `regex::bytes`, a pattern may match bytes that are not UTF-8.
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .build()
            .parse(pattern)
            .map_err(|error| PatternError::syntax(pattern, &error))?;
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(PATTERN_SIZE_LIMIT)))
            .build_from_hir(&ascii_boundaries(hir))
            .map_err(|error| PatternError::build(pattern, &error))?;
        // Any match is enough, and the shortest ends the search soonest.
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE_CAPACITY)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(nfa)
            .map_err(|error| PatternError::build(pattern, &error))?;
        Ok(Self { text: pattern.into(), dfa: Arc::new(dfa) })
    }

    /// Creates a pattern that matches exactly this text.
    ///
    /// # Errors
    /// Fails if the text is too long.
    pub fn literal(text: &str) -> Result<Self, PatternError> {
        Self::new(&regex_syntax::escape(text))
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Starts a search at the beginning of a stream.
    pub fn matcher(&self) -> PatternMatcher {
        let mut cache = self.dfa.create_cache();
        let state = self.dfa.start_state(&mut cache, &start::Config::new().anchored(Anchored::No));
        // Finding the start state fails only for anchored modes and for look-behind bytes that make the automaton quit.
        // We use neither.
        let search = state.map_or(Search::Decided(false), Search::At);
        PatternMatcher { dfa: Arc::clone(&self.dfa), cache, search }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// A search in progress, from [`Pattern::matcher`].
#[derive(Debug)]
pub struct PatternMatcher {
    dfa: Arc<DFA>,
    cache: Cache,
    search: Search,
}

#[derive(Debug, Clone, Copy)]
enum Search {
    At(LazyStateID),
    /// The answer is final: no further byte changes it.
    Decided(bool),
}

impl PatternMatcher {
    /// Reads the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Search::At(mut state) = self.search else { return };
        for byte in bytes {
            state = match self.dfa.next_state(&mut self.cache, state, *byte) {
                Ok(next) if next.is_match() => return self.search = Search::Decided(true),
                Ok(next) if !next.is_dead() && !next.is_quit() => next,
                // In a dead state, no continuation matches. Quitting and giving up are not configured.
                Ok(_) | Err(_) => return self.search = Search::Decided(false),
            };
        }
        self.search = Search::At(state);
    }

    /// Ends the stream, and returns true if the pattern matched anywhere in it, including its end.
    pub fn finish(mut self) -> bool {
        match self.search {
            Search::Decided(matched) => matched,
            Search::At(state) => {
                self.dfa.next_eoi_state(&mut self.cache, state).is_ok_and(|last| last.is_match())
            }
        }
    }
}

/// Returns the same expression with ASCII word boundaries instead of Unicode ones.
fn ascii_boundaries(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(ascii_boundary(look)),
        HirKind::Repetition(mut repetition) => {
            *repetition.sub = ascii_boundaries(*repetition.sub);
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            *capture.sub = ascii_boundaries(*capture.sub);
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(ascii_boundaries).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(ascii_boundaries).collect()),
    }
}

fn ascii_boundary(look: Look) -> Look {
    match look {
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        other => other,
    }
}

/// An invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pattern `{pattern}` cannot be used: {problem}{} \
     (patterns are those of Rust's `regex` crate: no look-around, no backreferences)",
    .offset.map(|offset| format!(" (at byte {offset})")).unwrap_or_default()
)]
pub struct PatternError {
    pattern: String,
    problem: String,
    offset: Option<usize>,
}

impl PatternError {
    fn syntax(pattern: &str, error: &regex_syntax::Error) -> Self {
        let (problem, offset) = match error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start.offset)),
            regex_syntax::Error::Translate(error) => {
                (error.kind().to_string(), Some(error.span().start.offset))
            }
            other => (other.to_string(), None),
        };
        Self { pattern: pattern.to_owned(), problem, offset }
    }

    fn build(pattern: &str, error: &dyn std::error::Error) -> Self {
        let problem = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Self { pattern: pattern.to_owned(), problem, offset: None }
    }

    /// Returns the problem, without the pattern and the advice around it.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Returns the offset in the pattern, in bytes, so that a caret can point at it.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, chunks: &[&[u8]]) -> bool {
        let mut matcher = Pattern::new(pattern).unwrap().matcher();
        chunks.iter().for_each(|chunk| matcher.feed(chunk));
        matcher.finish()
    }

    /// Generates patterns with every kind of look-around and class, over an alphabet in which they interact.
    fn any_pattern() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(vec![
            "a",
            "b",
            "ab",
            "é",
            ".",
            r"\n",
            r"\w",
            r"\d",
            "[a-é]",
            "[^a]",
            "^",
            "$",
            r"\A",
            r"\z",
            "(?m:^)",
            "(?m:$)",
            "(?R)(?m:$)",
            r"(?-u:\b)",
            r"(?-u:\B)",
            r"(?-u:\xFF)",
            "(?i:B)",
            "",
        ])
        .prop_map(str::to_owned);
        atom.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("{x}{y}")),
                (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("(?:{x}|{y})")),
                (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "*?"]))
                    .prop_map(|(x, repeat)| format!("(?:{x}){repeat}")),
            ]
        })
    }

    fn any_chunks() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let piece = prop::sample::select(vec!["a", "b", "é", "1", " ", "\n", "\r\n", "_"]);
        let piece =
            prop_oneof![piece.prop_map(|s| s.as_bytes().to_vec()), prop::collection::vec(any::<u8>(), 1..3)];
        let text = prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat());
        (text, prop::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_map(|(text, cuts)| {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            cuts.windows(2).map(|ends| text[ends[0]..ends[1]].to_vec()).collect()
        })
    }

    proptest! {
        #[test]
        fn any_split_gives_the_answer_of_the_regex_crate_on_the_whole(
            pattern in any_pattern(), chunks in any_chunks(),
        ) {
            let expected = regex::bytes::Regex::new(&pattern).unwrap().is_match(&chunks.concat());
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(matches(&pattern, &chunks), expected, "{} on {:?}", pattern, chunks);
        }
    }

    #[test]
    fn a_match_is_found_wherever_it_stands() {
        assert!(matches("0 failed", &[b"100 tests, 0 f", b"", b"ailed\n"]));
        assert!(matches(r"\bDONE\b", &[b"it is DONE"]));
        assert!(!matches(r"\bDONE\b", &[b"it is UNDONE"]));
        assert!(matches("(?m)^ok$", &[b"not\nok", b"\nagain"]));
        assert!(matches("", &[]));
        assert!(matches(r"\w+\b{end}é", &["aé".as_bytes()]));
    }

    #[test]
    fn the_cache_stays_bounded_on_a_pattern_with_many_states() {
        let mut matcher = Pattern::new(r"(?s)[ab]*a[ab]{18}c").unwrap().matcher();
        let mut seed = 1_u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            b'a' + (seed >> 63) as u8
        };
        let noise: Vec<u8> = (0..400_000).map(|_| noise()).collect();
        matcher.feed(&noise);
        assert!(matcher.cache.clear_count() > 0 && matcher.cache.memory_usage() < 2 * CACHE_CAPACITY);
        matcher.feed(b"abbbbbbbbbbbbbbbbbbc");
        assert!(matcher.finish());
    }

    #[test]
    fn other_flavours_are_refused_by_name_and_place() {
        let error = Pattern::new("ok (?=x)").unwrap_err();
        assert_eq!(error.offset(), Some(3));
        assert!(error.to_string().contains("look-around"), "{error}");
        assert!(error.to_string().contains("`regex` crate"), "{error}");
        assert!(Pattern::new(r"(a)\1").unwrap_err().problem().contains("backreferences"));
        assert!(Pattern::new("(").unwrap_err().problem().contains("unclosed"));
        assert!(Pattern::new(r"\w{1000}{1000}").is_err());
    }
}
