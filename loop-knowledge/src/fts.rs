//! Full-text queries. Punctuation has a meaning in the query language of FTS5, so a query never contains a text
//! unchanged. It consists of the text's words in quotation marks.
//!
//! FTS5 separates words at spaces. Some scripts have none between words, so each of their letters counts as a word in
//! the index ([`index_text`]), and each pair of neighbours in a query. Korean words end with particles, so a query finds
//! all words that begin with its own. Accents, vowel points and lengthened letters do not count.

use std::{borrow::Cow, collections::HashSet};

use crate::{BoxError, SecretFilter};

/// The most words in one query.
pub const MOST_WORDS: usize = 32;

/// The longest word of a query, in characters. FTS5 would cut a token only at 32 KiB.
const LONGEST_WORD: usize = 128;

/// Returns the FTS5 query for a text: its first 32 different words, each in quotation marks, joined by `OR`. Any text
/// gives a valid query, and a text without a letter or digit gives `None`: nothing can match it.
///
/// ```
/// use loop_knowledge::fts;
///
/// assert_eq!(fts::query("NEAR(a, b) AND \"c").as_deref(), Some(r#""near" OR "a" OR "b" OR "and" OR "c""#));
/// assert_eq!(fts::query("全文検索").as_deref(), Some(r#""全 文" OR "文 検" OR "検 索""#));
/// ```
#[must_use]
pub fn query(text: &str) -> Option<String> {
    let (mut known, text) = (HashSet::new(), without_marks(text));
    let words = runs(&text).flat_map(parts).filter(|word| known.insert(word.clone()));
    let words: Vec<_> = words.take(MOST_WORDS).collect();
    (!words.is_empty()).then(|| words.join(" OR "))
}

/// Returns the text as the index needs it: without marks, and with spaces around the letters of scripts that have no
/// spaces between words.
#[must_use]
pub fn index_text(text: &str) -> Cow<'_, str> {
    let text = without_marks(text);
    if !text.chars().any(is_unspaced) {
        return text;
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if is_unspaced(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    Cow::Owned(spaced)
}

/// Returns the text of a row of the index. The index has all words in lower case, so a secret in capitals would be one of
/// its words, although the text does not have it.
pub(crate) fn indexed(text: &str, secrets: &dyn SecretFilter) -> Result<String, BoxError> {
    Ok(index_text(&secrets.redact(&text.to_lowercase())?).into_owned())
}

/// Returns the runs of letters and digits of a text, in order.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// Splits a run at each change between scripts with and without spaces, and the latter into pairs of neighbours. Returns
/// the parts as a query has them.
fn parts(run: &str) -> Vec<String> {
    if run.chars().any(is_hangul) {
        return beginnings(run);
    }
    if !run.chars().any(is_unspaced) {
        return vec![quoted(run.chars())];
    }
    let letters: Vec<_> = run.chars().collect();
    let pieces = letters.chunk_by(|left, right| is_unspaced(*left) == is_unspaced(*right));
    let pieces = pieces.flat_map(|piece| match piece {
        [first, _, ..] if is_unspaced(*first) => {
            piece.windows(2).take(MOST_WORDS).map(|pair| format!("\"{} {}\"", pair[0], pair[1])).collect()
        }
        _ => vec![quoted(piece.iter().copied())],
    });
    pieces.collect()
}

fn quoted(word: impl Iterator<Item = char>) -> String {
    format!("\"{}\"", word.take(LONGEST_WORD).flat_map(char::to_lowercase).collect::<String>())
}

/// Returns the words that begin like this one, also without its last syllable, which may be a particle.
fn beginnings(run: &str) -> Vec<String> {
    let letters = run.chars().count();
    let lengths = [Some(letters), (letters > 2).then(|| letters - 1)];
    lengths.into_iter().flatten().map(|length| format!("{}*", quoted(run.chars().take(length)))).collect()
}

/// Removes characters that are not part of the word as others write it: accents that follow their letter, the vowel
/// points of Hebrew and Arabic, the Arabic line between letters, and soft hyphens. FTS5 would see a new word after each.
fn without_marks(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_mark) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|letter| !is_mark(*letter)).collect())
}

fn is_mark(letter: char) -> bool {
    matches!(u32::from(letter),
        0xAD | 0x0300..=0x036F | 0x0591..=0x05BD | 0x05BF | 0x05C1 | 0x05C2 | 0x05C4 | 0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06DC)
}

/// Tests for a syllable of Korean.
fn is_hangul(letter: char) -> bool {
    matches!(u32::from(letter), 0xAC00..=0xD7A3)
}

/// Tests for a letter of a script without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan.
pub(crate) fn is_unspaced(letter: char) -> bool {
    let is_other = matches!(u32::from(letter), 0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF);
    (is_other || is_han_or_kana(letter)) && letter.is_alphanumeric()
}

fn is_han_or_kana(letter: char) -> bool {
    matches!(u32::from(letter),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// Tests for a letter of Chinese, Japanese or Korean, each of which is a syllable or a word.
pub(crate) fn is_syllable(letter: char) -> bool {
    is_han_or_kana(letter) || is_hangul(letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;

    fn index(texts: &[&str]) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE VIRTUAL TABLE texts USING fts5(text)").unwrap();
        for text in texts {
            connection.execute("INSERT INTO texts VALUES (?1)", [index_text(text)]).unwrap();
        }
        connection
    }

    fn hits(connection: &Connection, text: &str) -> Vec<i64> {
        let Some(query) = query(text) else { return Vec::new() };
        let mut statement = connection.prepare("SELECT rowid FROM texts WHERE texts MATCH ?1").unwrap();
        let rows = statement.query_map([query], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    proptest! {
        #[test]
        fn any_text_is_a_valid_query(text in any::<String>(), noise in "[ -/:-@\\[-`{-~AND OR NOT\"*^0-9]{0,80}") {
            let connection = index(&["some text", &text]);
            hits(&connection, &text);
            hits(&connection, &noise);
            hits(&connection, &format!("{noise}{text}"));
        }

        #[test]
        fn a_text_is_found_by_its_own_words(word in "[a-zäöüß0-9]{1,20}", noise in "[\"*():^+-]{0,5}") {
            let connection = index(&["a text of others", &format!("x {word}{noise} y")]);
            let found = hits(&connection, &format!("{noise}{word}{noise}"));
            prop_assert!(found.contains(&2));
        }
    }

    #[test]
    fn a_part_of_a_chinese_or_thai_sentence_is_found() {
        let connection = index(&["我喜欢全文检索系统", "ภาษาไทยไม่มีช่องว่าง", "plain"]);
        assert_eq!(hits(&connection, "检索"), [1]);
        assert_eq!(hits(&connection, "ไทย"), [2]);
        assert_eq!(hits(&connection, "PLAIN"), [3]);
    }

    #[test]
    fn a_korean_word_is_found_with_other_particles() {
        let connection = index(&["서버가 멈추면 로그를 본다", "데이터베이스"]);
        for query in ["서버", "서버를", "로그에"] {
            assert_eq!(hits(&connection, query), [1], "{query}");
        }
        assert_eq!(hits(&connection, "데이터"), [2]);
    }

    #[test]
    fn marks_do_not_count() {
        let connection = index(&["שָׁלוֹם עֲלֵיכֶם", "السَّلَامُ عَلَيْكُمْ", "cafe\u{301}s", "com\u{ad}puter", "محمـــد"]);
        let queries = [("שלום", 1), ("السلام", 2), ("cafés", 3), ("cafes", 3), ("computer", 4), ("محمد", 5)];
        for (query, row) in queries {
            assert_eq!(hits(&connection, query), [row], "{query}");
        }
        assert_eq!(hits(&connection, "שָׁלוֹם"), [1]);
    }

    #[test]
    fn a_query_has_at_most_32_words_and_each_once() {
        let text: String = (0..100).map(|number| format!("w{number} w{number} ")).collect();
        assert_eq!(query(&text).unwrap().matches(" OR ").count(), MOST_WORDS - 1);
        assert!(query(&"漢字".repeat(100_000)).unwrap().len() < 100);
    }
}
