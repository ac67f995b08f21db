//! Cutting a text into chunks. A chunk that is too long finds everything and says nothing, and a cut in the middle of
//! a sentence loses its meaning. So a text is cut at paragraphs, otherwise at sentences, words and characters.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

/// The most characters of a chunk.
pub const CHUNK_CHARACTERS: usize = 500;

/// A part of a text, without whitespace at its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The text of the chunk.
    pub text: &'a str,
    /// The number of its first line, from 1.
    pub first_line: usize,
    /// The number of its last line.
    pub last_line: usize,
    /// The heading or the symbol to which it belongs.
    pub label: Option<String>,
}

/// A part of a text that is cut on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) range: Range<usize>,
    pub(crate) label: Option<String>,
    /// The most characters of a chunk.
    pub(crate) limit: usize,
}

/// Cuts a text into chunks of at most `limit` characters, in order. Each character other than whitespace is in exactly
/// one chunk. Neighbours that fit into one chunk are joined.
///
/// # Panics
///
/// Panics if `limit` is 0.
///
/// ```
/// let chunks = loop_knowledge::documents::chunks("One line.\nTwo lines.\n\nThree.", 20);
/// let lines: Vec<_> = chunks.iter().map(|chunk| (chunk.text, chunk.first_line)).collect();
/// assert_eq!(lines, [("One line.\nTwo lines.", 1), ("Three.", 4)]);
/// ```
#[must_use]
pub fn chunks(text: &str, limit: usize) -> Vec<Chunk<'_>> {
    chunks_of_regions(text, vec![Region { range: 0..text.len(), label: None, limit }])
}

/// Cuts each region on its own. The regions must cover the text in order.
pub(crate) fn chunks_of_regions(text: &str, regions: Vec<Region>) -> Vec<Chunk<'_>> {
    let mut found = Vec::new();
    let (mut line, mut position) = (1, 0);
    for region in regions {
        assert!(region.limit > 0, "a chunk has room for a character");
        for piece in cut(text, region.range, Level::Paragraphs, region.limit) {
            let whole = &text[piece.range.clone()];
            let chunk = whole.trim();
            if chunk.is_empty() {
                continue;
            }
            let start = piece.range.start + (whole.len() - whole.trim_start().len());
            line += line_ends(&text[position..start]);
            position = start;
            let last_line = line + line_ends(chunk);
            found.push(Chunk { text: chunk, first_line: line, last_line, label: region.label.clone() });
        }
    }
    found
}

fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Where a text is cut, from the best place to the worst.
#[derive(Debug, Clone, Copy)]
enum Level {
    Paragraphs,
    Sentences,
    Spaces,
    /// In scripts without spaces.
    Words,
    Characters,
    /// A single visible character may consist of any number of these.
    Scalars,
}

impl Level {
    fn next(self) -> Self {
        match self {
            Self::Paragraphs => Self::Sentences,
            Self::Sentences => Self::Spaces,
            Self::Spaces => Self::Words,
            Self::Words => Self::Characters,
            Self::Characters | Self::Scalars => Self::Scalars,
        }
    }

    fn parts(self, text: &str) -> Vec<&str> {
        match self {
            Self::Paragraphs => paragraphs(text),
            Self::Sentences => text.split_sentence_bounds().collect(),
            Self::Spaces => text.split_inclusive(char::is_whitespace).collect(),
            Self::Words => text.split_word_bounds().collect(),
            Self::Characters => text.graphemes(true).collect(),
            Self::Scalars => text.split_inclusive(|_| true).collect(),
        }
    }
}

/// Splits after each run of empty lines.
fn paragraphs(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut position, mut is_after_empty) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        let is_empty = line.trim().is_empty();
        if is_after_empty && !is_empty {
            found.push(&text[start..position]);
            start = position;
        }
        is_after_empty = is_empty;
        position += line.len();
    }
    found.push(&text[start..]);
    found
}

/// A part of a text, measured once. Joining adds the numbers, so no text is counted again.
#[derive(Debug, Clone)]
struct Piece {
    range: Range<usize>,
    characters: usize,
    /// The whitespace at its beginning and at its end. All characters, if there is nothing else.
    leading: usize,
    trailing: usize,
}

impl Piece {
    fn new(text: &str, range: Range<usize>) -> Self {
        let part = &text[range.clone()];
        let characters = part.chars().count();
        let leading = part.chars().take_while(|character| character.is_whitespace()).count();
        let trailing = part.chars().rev().take_while(|character| character.is_whitespace()).count();
        Self { range, characters, leading, trailing }
    }

    fn joined(&self, next: &Self) -> Self {
        let is_blank = |piece: &Self| piece.leading == piece.characters;
        Self {
            range: self.range.start..next.range.end,
            characters: self.characters + next.characters,
            leading: self.leading + if is_blank(self) { next.leading } else { 0 },
            trailing: next.trailing + if is_blank(next) { self.trailing } else { 0 },
        }
    }

    /// The length without whitespace at the ends.
    fn length(&self) -> usize {
        self.characters.saturating_sub(self.leading + self.trailing)
    }
}

/// Returns pieces of at most `limit` characters that cover the range.
fn cut(text: &str, range: Range<usize>, level: Level, limit: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut add = |piece: Piece| match pieces.last_mut() {
        Some(last) if last.joined(&piece).length() <= limit => *last = last.joined(&piece),
        _ => pieces.push(piece),
    };
    let mut start = range.start;
    for part in level.parts(&text[range]) {
        let piece = Piece::new(text, start..start + part.len());
        start += part.len();
        if piece.length() <= limit {
            add(piece);
        } else {
            cut(text, piece.range, level.next(), limit).into_iter().for_each(&mut add);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn visible(text: &str) -> String {
        text.chars().filter(|character| !character.is_whitespace()).collect()
    }

    fn check(text: &str, limit: usize) {
        let found = chunks(text, limit);
        let joined: String = found.iter().map(|chunk| visible(chunk.text)).collect();
        assert_eq!(joined, visible(text), "each visible character is in one chunk, in order");
        let lines: Vec<_> = text.split('\n').collect();
        for chunk in &found {
            assert!((1..=limit).contains(&chunk.text.chars().count()), "{chunk:?}");
            let first = chunk.text.split('\n').next().unwrap();
            assert!(lines[chunk.first_line - 1].contains(first.trim_end_matches('\r')), "{chunk:?}");
            assert_eq!(chunk.last_line - chunk.first_line, line_ends(chunk.text));
        }
        let start = |chunk: &Chunk<'_>| chunk.text.as_ptr() as usize - text.as_ptr() as usize;
        for pair in found.windows(2) {
            let joined = &text[start(&pair[0])..start(&pair[1]) + pair[1].text.len()];
            assert!(joined.chars().count() > limit, "neighbours that fit are joined: {pair:?}");
        }
    }

    proptest! {
        #[test]
        fn chunks_cover_any_text_exactly(text in any::<String>(), limit in 1_usize..40) {
            check(&text, limit);
        }

        #[test]
        fn chunks_cover_a_text_with_words_and_lines_exactly(
            text in "([a-zä漢🦀]{1,30}[ .!\\n\\t\\r]{0,4}|e\u{301}\u{302}|\u{2003}){0,60}",
            limit in 1_usize..80,
        ) {
            check(&text, limit);
        }
    }

    #[test]
    fn a_text_is_cut_at_the_best_place() {
        let text = "First paragraph.\n\nSecond one is long. It has two sentences.\n\nextraordinarily";
        let found: Vec<_> = chunks(text, 20).into_iter().map(|chunk| chunk.text).collect();
        let expected =
            ["First paragraph.", "Second one is long.", "It has two", "sentences.", "extraordinarily"];
        assert_eq!(found, expected);
        assert_eq!(
            chunks("abcdef", 4).into_iter().map(|chunk| chunk.text).collect::<Vec<_>>(),
            ["abcd", "ef"]
        );
    }

    #[test]
    fn neighbours_are_joined_while_they_fit() {
        let found: Vec<_> = chunks("a\n\nb\n\nc\n\nd", 7).into_iter().map(|chunk| chunk.text).collect();
        assert_eq!(found, ["a\n\nb\n\nc", "d"]);
    }

    #[test]
    fn a_visible_character_of_several_scalars_stays_whole() {
        let family = "👨‍👩‍👧‍👦";
        let text = family.repeat(3);
        let found = chunks(&text, 8);
        assert!(found.iter().all(|chunk| chunk.text == family), "{found:?}");
    }
}
