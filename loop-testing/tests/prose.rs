//! The English of rustdoc and Markdown: openings and phrases that make a reader read twice.
//!
//! The rules are those of `CONTRIBUTING.md`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Words that open no sentence but a question.
const OPENINGS: &[&str] = &["Who", "What", "Whoever", "Whatever"];

/// Phrases that hide the actor, or that another word says better.
const PHRASES: &[&str] = &[
    "is said",
    "are said",
    "is told",
    "is none",
    "are none",
    "stands in",
    "stands beside",
    "stands for",
    "more leave",
    "take up",
    "taken up",
    "put off",
    "so many",
    "such a one",
    "of one's own",
];

/// Pages that a reader should finish: their path, and the maximum of their lines and words.
const SHORT_PAGES: &[(&str, usize, usize)] = &[("ARCHITECTURE.md", 130, 1300), ("README.md", 200, 1200)];

/// A line of documentation, and where it is.
struct DocLine {
    number: usize,
    text: String,
}

#[test]
fn documentation_reads_plainly() {
    let mut findings = Vec::new();
    for path in files(&workspace()) {
        let shown = path.strip_prefix(workspace()).expect("a path of the workspace").to_owned();
        let text = fs::read_to_string(&path).expect("a text file");
        let is_rust = path.extension().is_some_and(|ending| ending == "rs");
        let lines = if is_rust { rustdoc(&text) } else { markdown(&text) };
        for (number, finding) in findings_in(&lines) {
            findings.push(format!("{}:{number}: {finding}", shown.display()));
        }
    }
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn a_comment_has_no_words() {
    let words: Vec<_> =
        without_comments("a <!-- b\nc --> d<!-- e -->f").split_whitespace().map(str::to_owned).collect();
    assert_eq!(words, ["a", "d", "f"]);
}

#[test]
fn an_opening_and_a_phrase_are_found_and_a_question_is_not() {
    let found = |text: &str| findings_in(&markdown(text)).len();
    assert_eq!(found("Who resumes\nhas looked.\n"), 1);
    assert_eq!(found("It runs. What is left is ended."), 1);
    assert_eq!(found("What does it cost? Nothing.\n> What he said\n```\nWhat\n```\n`What is said`"), 0);
    assert_eq!(found("What happens\nwhen it ends?"), 0);
    assert_eq!(found("that is said\nagain"), 1);
    assert_eq!(found("Whether it runs.\nthat it does\nWhat"), 0);
}

#[test]
fn long_pages_stay_short() {
    for (page, most_lines, most_words) in SHORT_PAGES {
        let text = fs::read_to_string(workspace().join(page)).expect("a page");
        let (lines, words) = (text.lines().count(), without_comments(&text).split_whitespace().count());
        assert!(lines <= *most_lines, "{page} has {lines} lines, and {most_lines} at most");
        assert!(words <= *most_words, "{page} has {words} words, and {most_words} at most");
    }
}

#[test]
fn a_page_of_the_guide_opens_with_the_question_that_it_answers() {
    let guide = workspace().join("book/src");
    let summary = fs::read_to_string(guide.join("SUMMARY.md")).expect("the summary");
    let pages: Vec<_> =
        summary.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
    assert!(pages.len() > 20, "the summary names pages: {pages:?}");
    for page in pages {
        let text = fs::read_to_string(guide.join(page)).expect("a page");
        assert!(opens_with_a_question(&text), "{page} does not open with a question");
    }
}

#[test]
fn the_first_sentence_after_the_title_is_the_opening() {
    assert!(opens_with_a_question("# Pace\n\n<!-- generated. -->\nHow long\ndoes it wait? A second.\n"));
    assert!(!opens_with_a_question("# Pace: why?\n\nIt waits. How long? A second.\n"));
    assert!(!opens_with_a_question("# Pace\n\n## Why?\n\nIt waits.\n"));
    assert!(!opens_with_a_question("# Pace\n"));
}

/// Returns whether the first paragraph after the title begins with a question.
fn opens_with_a_question(page: &str) -> bool {
    let text = without_comments(page);
    let body = text.trim_start().split_once('\n').map_or("", |(_title, body)| body);
    let opening = body.trim_start().split("\n\n").next().unwrap_or_default();
    let end = opening.find(['.', '?', '!', ':']).and_then(|at| opening[at..].chars().next());
    !opening.starts_with('#') && end == Some('?')
}

/// Returns the findings, each with the number of its line.
fn findings_in(lines: &[DocLine]) -> Vec<(usize, String)> {
    let mut findings = Vec::new();
    let mut is_start = true;
    for (index, DocLine { number, text }) in lines.iter().enumerate() {
        let is_new = index == 0 || lines[index - 1].number + 1 != *number;
        let mut starts: Vec<_> = text.match_indices(". ").map(|(at, _)| at + 2).collect();
        if is_start || is_new || text.starts_with(['-', '#', '|', '*']) {
            starts.push(0);
        }
        for start in starts {
            let sentence = text[start..].trim_start_matches(['-', '#', '|', '*', ' ']);
            let word = sentence.split(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
            if OPENINGS.contains(&word) && !is_question(sentence, &lines[index + 1..]) {
                findings.push((*number, format!("a sentence opens with `{word}`: {sentence}")));
            }
        }
        let lower = text.to_lowercase();
        let lower = lower.replace("there is none", "").replace("there are none", "");
        let banned = PHRASES.iter().filter(|phrase| contains(&lower, phrase));
        findings.extend(banned.map(|phrase| (*number, format!("`{phrase}`: {text}"))));
        is_start = text.is_empty() || text.ends_with(['.', '?', '!', ':', '|']);
    }
    findings
}

/// Returns whether a sentence, which may go on in the next lines, ends as a question.
fn is_question(sentence: &str, next: &[DocLine]) -> bool {
    let rest = next.iter().take(2).map(|line| line.text.as_str());
    let text: Vec<_> = [sentence].into_iter().chain(rest).collect();
    let end = text.join(" ").find(['.', '?', '!']).map(|at| text.join(" ").as_bytes()[at]);
    end == Some(b'?')
}

/// Returns whether a text has a phrase between two borders of words.
fn contains(text: &str, phrase: &str) -> bool {
    let is_border = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
    text.match_indices(phrase).any(|(at, found)| {
        is_border(text[..at].chars().next_back()) && is_border(text[at + found.len()..].chars().next())
    })
}

/// Returns the lines of rustdoc, without code.
fn rustdoc(text: &str) -> Vec<DocLine> {
    let doc = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::to_owned)
    };
    let lines = text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, doc(line)?)));
    without_code(lines)
}

/// Returns the lines of Markdown, without code and quotations.
fn markdown(text: &str) -> Vec<DocLine> {
    without_code(text.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned())))
}

fn without_code(lines: impl Iterator<Item = (usize, String)>) -> Vec<DocLine> {
    let (mut is_code, mut kept) = (false, Vec::new());
    for (number, line) in lines {
        let text = line.trim();
        if text.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !text.starts_with('>') {
            kept.push(DocLine { number, text: without_spans(text) });
        }
    }
    kept
}

/// Returns a line without code between backticks and without quotations.
fn without_spans(line: &str) -> String {
    let mut kept = String::new();
    for (index, part) in line.split('`').enumerate() {
        kept.push_str(if index % 2 == 0 { part } else { "``" });
    }
    let mut quoted = kept.split('"').enumerate();
    let unquoted = quoted
        .try_fold(String::new(), |all, (index, part)| Some(all + if index % 2 == 0 { part } else { "\"\"" }));
    unquoted.unwrap_or(kept).trim().to_owned()
}

/// Returns a text with a space in place of each HTML comment.
fn without_comments(text: &str) -> String {
    let (first, rest) = text.split_once("<!--").unwrap_or((text, ""));
    let shown = rest.split("<!--").filter_map(|part| Some(part.split_once("-->")?.1));
    std::iter::once(first).chain(shown).collect::<Vec<_>>().join(" ")
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Returns the Rust and Markdown files of the project.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !name.starts_with('.')
                && !["target", "fixtures", "snapshots", "corpus"].contains(&name.as_str())
            {
                found.extend(files(&path));
            }
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
