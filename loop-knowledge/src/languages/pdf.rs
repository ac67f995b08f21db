//! The sections of the text of a PDF, as `pdftotext` writes it.

use crate::documents::{CHUNK_CHARACTERS, Region};

/// The names of sections, in lower case.
const NAMES: &[&str] = &[
    "abstract",
    "summary",
    "keywords",
    "introduction",
    "background",
    "related work",
    "methods",
    "method",
    "methodology",
    "materials and methods",
    "experiments",
    "evaluation",
    "results",
    "results and discussion",
    "discussion",
    "limitations",
    "conclusion",
    "conclusions",
    "acknowledgements",
    "acknowledgments",
    "appendix",
    "supplementary material",
];

/// The names of the section with the references.
const REFERENCES: &[&str] = &["references", "bibliography", "literature cited", "works cited"];

/// The most characters of a heading.
const MOST_CHARACTERS: usize = 60;

/// Returns one region for each section, and one for each reference. A section begins at a line with its name, or with
/// its number and a title.
pub(super) fn sections(text: &str) -> Vec<Region> {
    let mut found = Vec::new();
    let (mut start, mut position, mut label) = (0, 0, None::<String>);
    let (mut is_in_references, mut is_after_empty) = (false, true);
    for line in text.split_inclusive('\n') {
        let title = heading(line, is_in_references);
        let is_reference = is_in_references && begins_reference(line, is_after_empty);
        if title.is_some() || is_reference {
            found.push(Region { range: start..position, label: label.clone(), limit: CHUNK_CHARACTERS });
            start = position;
        }
        if let Some(title) = title {
            is_in_references = REFERENCES.contains(&name_of(title).to_lowercase().as_str());
            label = Some(title.to_owned());
        }
        is_after_empty = line.trim().is_empty();
        position += line.len();
    }
    found.push(Region { range: start..text.len(), label, limit: CHUNK_CHARACTERS });
    found
}

/// Returns the line if it is a heading. Between references, numbers are those of references.
fn heading(line: &str, is_in_references: bool) -> Option<&str> {
    let title = line.trim();
    if title.is_empty() || title.chars().count() > MOST_CHARACTERS {
        return None;
    }
    let name = name_of(title);
    let is_known = |names: &[&str]| names.contains(&name.to_lowercase().as_str());
    let is_numbered = || {
        name.len() < title.len()
            && title.starts_with(|sign: char| sign.is_ascii_digit())
            && name.starts_with(char::is_uppercase)
            && name.ends_with(char::is_alphanumeric)
            && !name.contains([',', ';'])
    };
    (is_known(REFERENCES) || is_known(NAMES) || !is_in_references && is_numbered()).then_some(title)
}

/// Returns a title without its number, such as `2.1` or `IV.`, and without a colon at the end.
fn name_of(title: &str) -> &str {
    let title = title.trim_end_matches([':', '.']);
    let Some((number, name)) = title.split_once(char::is_whitespace) else { return title };
    let digits = number.trim_end_matches('.');
    let is_part =
        |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_roman = !digits.is_empty() && digits.bytes().all(|byte| b"IVX".contains(&byte));
    if digits.split('.').all(is_part) || is_roman { name.trim_start() } else { title }
}

/// Returns whether a reference begins with this line: with `[7]` or `7.`, or after an empty line.
fn begins_reference(line: &str, is_after_empty: bool) -> bool {
    let line = line.trim();
    let number = |text: &str, end: char| {
        let digits = text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        (1..=3).contains(&digits) && text[digits..].starts_with(end)
    };
    let is_numbered = line.strip_prefix('[').is_some_and(|rest| number(rest, ']'))
        || number(line, '.') && line.contains(". ");
    is_numbered || is_after_empty && !line.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(Option<String>, &str)> {
        let sections = sections(text).into_iter();
        let shown = |section: Region| (section.label, text[section.range].trim());
        sections.map(shown).filter(|(_, part)| !part.is_empty()).collect()
    }

    #[test]
    fn a_paper_has_sections_from_the_abstract_to_the_references() {
        let text = "On Rye\nA. Baker\n\nAbstract\nRye needs water.\n\n1 Introduction\nBread.\n\u{c}2.1. Flour types\n\
                    1. Rye is one, wheat is another.\nIV. RESULTS:\nGood.\n\nReferences\n[1] A. Baker. Rye. doi:10.1000/182\nin two lines.\n\
                    [2] B. Miller. Flour.\n\nAppendix\nMore.\n";
        let label = |text: &str| Some(text.to_owned());
        let expected = [
            (None, "On Rye\nA. Baker"),
            (label("Abstract"), "Abstract\nRye needs water."),
            (label("1 Introduction"), "1 Introduction\nBread."),
            (label("2.1. Flour types"), "2.1. Flour types\n1. Rye is one, wheat is another."),
            (label("IV. RESULTS:"), "IV. RESULTS:\nGood."),
            (label("References"), "References"),
            (label("References"), "[1] A. Baker. Rye. doi:10.1000/182\nin two lines."),
            (label("References"), "[2] B. Miller. Flour."),
            (label("Appendix"), "Appendix\nMore."),
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn references_without_numbers_are_apart_at_empty_lines() {
        let text =
            "BIBLIOGRAPHY\n\nBaker, A. (2020). Rye.\n 3 lines. 2021 was good.\n\nMiller, B. (2021). Flour.\n";
        let parts: Vec<_> = found(text).into_iter().map(|(_, part)| part).collect();
        let expected =
            ["BIBLIOGRAPHY", "Baker, A. (2020). Rye.\n 3 lines. 2021 was good.", "Miller, B. (2021). Flour."];
        assert_eq!(parts, expected);
    }

    proptest! {
        #[test]
        fn sections_cover_any_text(text in "(references|abstract|[\\[\\]0-9. ]{0,3}|\\n|\u{c}|[^a]){0,40}") {
            let joined: String = sections(&text).into_iter().map(|section| text[section.range].to_owned()).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
