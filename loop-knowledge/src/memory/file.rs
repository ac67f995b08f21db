//! The text of a memory's file: YAML front matter, then Markdown.
//!
//! A person may have written the file, with comments and in any order. A change therefore replaces one value, and every
//! other byte stays.

use std::ops::Range;

use jiff::Timestamp;

use super::{Confidence, MemoryType, NewMemory, UnknownWord, yaml};

const FENCE: &str = "---";

/// The fields of the front matter. The folder of the file gives the type, and its name the id.
const KEYS: &str = "summary, kind, confidence, origin, created, applies_to, replaces, removes";

/// The fields that a file states.
#[derive(Debug, PartialEq)]
pub(super) struct Parsed {
    pub(super) content: NewMemory,
    pub(super) confidence: Confidence,
    pub(super) created: Option<Timestamp>,
}

/// Reads a file. Fails with the fault.
pub(super) fn parse(memory_type: MemoryType, text: &str) -> Result<Parsed, String> {
    let front = front_matter(text)?;
    let mut content = NewMemory::new(memory_type, "", body(text, &front).trim());
    let (mut confidence, mut created) = (Confidence::NEW, None);
    for (key, value) in yaml::parse(&text[front])? {
        match &*key {
            "summary" => value.text(&key)?.trim().clone_into(&mut content.summary),
            "kind" => {
                content.kind =
                    Some(value.text(&key)?.parse().map_err(|error: UnknownWord| error.to_string())?);
            }
            "confidence" => {
                let number = value.text(&key)?.parse::<f64>();
                confidence = number.map_err(|_| "`confidence` is not a number")?.try_into()?;
            }
            "origin" => content.origin = Some(value.text(&key)?.to_owned()),
            "created" => {
                let time = value.text(&key)?.parse();
                created = Some(time.map_err(|_| "`created` is not a time such as 2026-01-31T12:00:00Z")?);
            }
            "applies_to" => content.applies_to = value.into_texts(),
            "replaces" => content.replaces = Some(value.text(&key)?.to_owned()),
            "removes" => content.removes = Some(value.text(&key)?.to_owned()),
            _ => return Err(format!("`{key}` is not a field: write one of {KEYS}")),
        }
    }
    if let Some(fault) = content.fault() {
        return Err(fault);
    }
    Ok(Parsed { content, confidence, created })
}

/// Writes the text of a new file.
pub(super) fn compose(content: &NewMemory, confidence: Confidence, created: Timestamp) -> String {
    // A JSON text is YAML as well, and the parser reads it back whatever is in it.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!("{FENCE}\nsummary: {}\n", quoted(content.summary.trim()));
    if let Some(kind) = content.kind {
        text.push_str(&format!("kind: {kind}\n"));
    }
    text.push_str(&format!("confidence: {confidence}\n"));
    if let Some(origin) = &content.origin {
        text.push_str(&format!("origin: {}\n", quoted(origin)));
    }
    text.push_str(&format!("created: {}\n", created.round(jiff::Unit::Second).unwrap_or(created)));
    if !content.applies_to.is_empty() {
        let globs: Vec<_> = content.applies_to.iter().map(|glob| quoted(glob)).collect();
        text.push_str(&format!("applies_to: [{}]\n", globs.join(", ")));
    }
    for (key, id) in [("replaces", &content.replaces), ("removes", &content.removes)] {
        if let Some(id) = id {
            text.push_str(&format!("{key}: {}\n", quoted(id)));
        }
    }
    text.push_str(&format!("{FENCE}\n{}\n", content.body.trim()));
    text
}

/// Returns the text with another confidence; `None` if the front matter has a form that a change could damage.
pub(super) fn with_confidence(memory_type: MemoryType, text: &str, confidence: Confidence) -> Option<String> {
    let mut expected = parse(memory_type, text).ok()?;
    expected.confidence = confidence;
    let changed = with_value(text, "confidence", &confidence.to_string())?;
    (parse(memory_type, &changed).ok()? == expected).then_some(changed)
}

/// Replaces the value of a top-level key, or adds the key at the end of the front matter.
fn with_value(text: &str, key: &str, value: &str) -> Option<String> {
    let front = front_matter(text).ok()?;
    let mut at = front.start;
    for line in text[front.clone()].split_inclusive('\n') {
        let rest = line.strip_prefix(key).map(str::trim_start).and_then(|rest| rest.strip_prefix(':'));
        if let Some(rest) = rest {
            let start = at + line.len() - rest.trim_start_matches([' ', '\t']).len();
            let old = &text[start..at + line.len()];
            let end = old.find(" #").map_or(old, |comment| &old[..comment]).trim_end().len();
            return Some(format!("{}{value}{}", &text[..start], &text[start + end..]));
        }
        at += line.len();
    }
    let line_end = if text[..front.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    Some(format!("{}{key}: {value}{line_end}{}", &text[..front.end], &text[front.end..]))
}

/// Returns where the fields are, without the fences.
fn front_matter(text: &str) -> Result<Range<usize>, String> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == FENCE) else {
        return Err("the first line must be `---`, before the field `summary`".to_owned());
    };
    let begin = start + first.len();
    let mut at = begin;
    for line in lines {
        if line.trim_end() == FENCE {
            return Ok(begin..at);
        }
        at += line.len();
    }
    Err("the front matter does not end: put a line `---` after it".to_owned())
}

/// Returns the text after the second fence.
fn body<'a>(text: &'a str, front: &Range<usize>) -> &'a str {
    text[front.end..].split_once('\n').map_or("", |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::MemoryKind;

    const FOUR: Confidence = Confidence::NEW.flagged();

    proptest! {
        #[test]
        fn a_new_file_is_read_back(summary in "[^\\p{C}\u{2028}\u{2029}]{1,60}", body in any::<String>(), tenths in 0..=10_u8) {
            prop_assume!(!summary.trim().is_empty() && body.len() <= super::super::BODY_BYTES);
            let content = NewMemory {
                kind: Some(MemoryKind::Pitfall),
                origin: Some(format!("run {summary}")),
                applies_to: vec!["src/**/*.rs".to_owned()],
                replaces: Some("0198".to_owned()),
                removes: Some(summary.clone()),
                ..NewMemory::new(MemoryType::ToolUse, summary.trim(), body.trim())
            };
            let confidence = Confidence::from_tenths(tenths).unwrap();
            let text = compose(&content, confidence, Timestamp::UNIX_EPOCH);
            let parsed = parse(MemoryType::ToolUse, &text);
            let expected = Parsed { content, confidence, created: Some(Timestamp::UNIX_EPOCH) };
            prop_assert_eq!(parsed, Ok(expected));
        }

        #[test]
        fn a_change_keeps_each_other_byte(
            line_end in prop::sample::select(vec!["\n", "\r\n"]),
            mark in prop::sample::select(vec!["", "\u{feff}"]),
            comment in "( # [a-z0-9. é]{0,12})?",
            blanks in " {1,3}",
            order in any::<bool>(),
            body in "[ \t\r\na-z#é:-]{0,60}",
            (old, new) in (0..=10_u8, 0..=10_u8),
        ) {
            let [old, new] = [old, new].map(|tenths| Confidence::from_tenths(tenths).unwrap());
            let file = |confidence: Confidence| {
                let confidence = format!("confidence:{blanks}{confidence}{comment}{line_end}");
                let summary = format!("# mine{line_end}summary: 'a ''b'''{line_end}");
                let (first, second) = if order { (&confidence, &summary) } else { (&summary, &confidence) };
                format!("{mark}---{line_end}{first}{second}--- {line_end}{body}")
            };
            let changed = with_confidence(MemoryType::Workflow, &file(old), new);
            prop_assert_eq!(changed, Some(file(new)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), front in "[a-z:\\[\\]{}&*!|>'\"%@`, \n-]{0,80}") {
            let _ = parse(MemoryType::Workflow, &text);
            let text = format!("---\n{front}\n---\n{text}");
            let _ = parse(MemoryType::Workflow, &text);
            let _ = with_confidence(MemoryType::Workflow, &text, Confidence::NEW);
        }
    }

    #[test]
    fn a_missing_confidence_is_added() {
        let text = "---\r\nsummary: a\r\n---\r\nbody";
        let changed = with_confidence(MemoryType::Workflow, text, FOUR);
        assert_eq!(changed.as_deref(), Some("---\r\nsummary: a\r\nconfidence: 0.4\r\n---\r\nbody"));
    }

    #[test]
    fn a_value_that_cannot_be_replaced_safely_stays() {
        for front in ["{summary: a, confidence: 0.5}", "summary: a\n\"confidence\": 0.5"] {
            let text = format!("---\n{front}\n---\n");
            assert!(parse(MemoryType::Workflow, &text).is_ok(), "{front}");
            assert_eq!(with_confidence(MemoryType::Workflow, &text, FOUR), None, "{front}");
        }
    }

    #[test]
    fn faults_are_named() {
        let cases = [
            ("no fence", "the first line must be"),
            ("---\nsummary: a\n", "does not end"),
            ("---\nconfidence: 0.5\n---\n", "summary"),
            ("---\n- a\n---\n", "fields"),
            ("---\nsummary: [a]\n---\n", "one text"),
            ("---\nsummary: a\nsummary: b\n---\n", "twice"),
            ("---\nsummary: &a a\norigin: *a\n---\n", "alias"),
            ("---\nsummary: a\norigin: 'b\n---\n", "line "),
            ("---\nsummary: a\nconfidense: 0.5\n---\n", "confidense"),
            ("---\nsummary: a\nconfidence: 0.55\n---\n", "0.55"),
            ("---\nsummary: a\nkind: advice\n---\n", "advice"),
            ("---\nsummary: a\ncreated: today\n---\n", "created"),
            ("---\nsummary: a\napplies_to: ['a[']\n---\n", "a["),
        ];
        for (text, expected) in cases {
            let fault = parse(MemoryType::Workflow, text).unwrap_err();
            assert!(fault.contains(expected), "{text:?}: {fault}");
        }
        let long = format!("---\nsummary: {}\n---\n", "é".repeat(121));
        assert!(parse(MemoryType::Workflow, &long).unwrap_err().contains("121 characters"));
    }
}
