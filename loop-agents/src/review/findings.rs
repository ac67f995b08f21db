//! A review's findings.

use std::{
    convert::Infallible,
    fmt::{self, Display},
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::verdict::KEY;
use crate::output::{beginning, one_line};

/// The number of pending items to keep. The agent does the others in later loops, after a review finds them again.
pub const MAX_PENDING: usize = 5;
/// The maximum length of an item or a blocker, in bytes.
const ITEM_BYTES: usize = 500;
/// The maximum length of the summary, in bytes.
const SUMMARY_BYTES: usize = 2000;

/// A review's findings: what is left to do, what blocks it, and a summary.
///
/// The text form is readable and can be parsed again, so it can be the text of a [`Verdict`](loop_core::Verdict):
///
/// ```
/// use loop_agents::review::Findings;
///
/// let found = Findings::new(["add tests for the parser"], "", "The parser works.");
/// assert_eq!(found.to_string(), "pending:\n- add tests for the parser\nsummary: The parser works.");
/// assert_eq!(found.to_string().parse(), Ok(found));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Findings {
    /// The work that is left, at most five items.
    pub pending: Vec<String>,
    /// The obstacle that keeps the work from being done, or an empty text.
    pub blocker: String,
    /// The state of the work.
    pub summary: String,
}

impl Findings {
    /// Creates findings from a reviewer's texts, each shortened and on one line. Items and blockers without words are
    /// dropped.
    pub fn new<T: AsRef<str>>(pending: impl IntoIterator<Item = T>, blocker: &str, summary: &str) -> Self {
        let items = pending.into_iter().map(|item| cut(item.as_ref(), ITEM_BYTES));
        Self {
            pending: items.filter(|item| !item.is_empty()).take(MAX_PENDING).collect(),
            blocker: cut(blocker, ITEM_BYTES),
            summary: cut(summary, SUMMARY_BYTES),
        }
    }

    /// Reads findings from a reviewer's JSON: `pending` has to be a list, and `blocker` a text or absent. An item that
    /// is not a text is kept as JSON, because it is still work that is left. An object with an unknown key is rejected,
    /// because the key may be a misspelled known one. So is an object with a [placeholder](Self::is_template).
    pub(super) fn of(object: &Value) -> Option<Self> {
        const KEYS: [&str; 4] = [KEY, "pending", "blocker", "summary"];
        if object.as_object()?.keys().any(|key| !KEYS.contains(&key.as_str())) {
            return None;
        }
        let pending = object.get("pending")?.as_array()?.iter().map(|item| match item {
            Value::String(text) => text.clone(),
            Value::Object(fields) => match fields.get("item") {
                Some(Value::String(text)) => text.clone(),
                _ => item.to_string(),
            },
            other => other.to_string(),
        });
        let text = |key: &str| match object.get(key) {
            None | Some(Value::Null) => Some(""),
            Some(value) => value.as_str(),
        };
        let pending: Vec<_> = pending.collect();
        let (blocker, summary) = (text("blocker")?, text("summary")?);
        (!Self::is_template(&pending, blocker, summary)).then(|| Self::new(pending, blocker, summary))
    }

    /// Returns true if one of a reviewer's texts is a placeholder, such as `...` or `<what is left>`: a text without a
    /// letter or a digit, or a text in angle brackets. The reviewer has filled in a form without thinking about it. An
    /// empty text is no placeholder.
    pub(super) fn is_template<T: AsRef<str>>(pending: &[T], blocker: &str, summary: &str) -> bool {
        let is_placeholder = |text: &str| {
            let text = text.trim();
            let is_bracketed = text.starts_with('<') && text.ends_with('>');
            !text.is_empty() && (is_bracketed || !text.contains(char::is_alphanumeric))
        };
        pending.iter().map(AsRef::as_ref).chain([blocker, summary]).any(is_placeholder)
    }

    /// Merges two findings of one review.
    pub(super) fn and(self, other: &Self) -> Self {
        if self == *other {
            return self;
        }
        let more = other.pending.iter().filter(|item| !self.pending.contains(item));
        let pending: Vec<_> = self.pending.iter().chain(more).collect();
        let joined = |one: &str, other: &str| match (one, other) {
            ("", text) | (text, "") => text.to_owned(),
            _ => format!("{one}; {other}"),
        };
        Self::new(pending, &joined(&self.blocker, &other.blocker), &joined(&self.summary, &other.summary))
    }

    /// Returns true if nothing is left to do, and nothing blocks it.
    pub const fn is_clean(&self) -> bool {
        self.pending.is_empty() && self.blocker.is_empty()
    }
}

/// Returns the findings with this text form, or `None` for any other text, such as the output of a check before the
/// review.
pub(super) fn findings_of(text: &str) -> Option<Findings> {
    let Ok(found) = text.parse::<Findings>();
    (found.to_string() == text).then_some(found)
}

fn cut(text: &str, most: usize) -> String {
    beginning(&one_line(text), most)
}

impl Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pending.is_empty() {
            writeln!(f, "pending:")?;
        }
        for item in &self.pending {
            writeln!(f, "- {item}")?;
        }
        if !self.blocker.is_empty() {
            writeln!(f, "blocker: {}", self.blocker)?;
        }
        write!(f, "summary: {}", self.summary)
    }
}

impl FromStr for Findings {
    type Err = Infallible;

    /// Reads the parts of the text that are findings, and ignores the rest.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let mut found = Self::default();
        for line in text.lines() {
            if let Some(item) = line.strip_prefix("- ") {
                found.pending.push(item.to_owned());
            } else if let Some(blocker) = line.strip_prefix("blocker: ") {
                blocker.clone_into(&mut found.blocker);
            } else if let Some(summary) = line.strip_prefix("summary:") {
                summary.trim().clone_into(&mut found.summary);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn findings_survive_as_text(
            pending in prop::collection::vec("(\n|- |blocker: |summary:|[a-z]| |é){0,12}", 0..8),
            blocker in "(\n|- |[a-z]| ){0,8}",
            summary in "(\n|- |pending:|[a-z]| ){0,12}",
        ) {
            let found = Findings::new(&pending, &blocker, &summary);
            prop_assert!(found.pending.len() <= MAX_PENDING);
            prop_assert_eq!(found.to_string().parse(), Ok(found));
        }
    }

    #[test]
    fn what_a_reviewer_writes_is_read_strictly_and_never_in_its_favour() {
        let clean = |object: Value| Findings::of(&object).map(|found| found.is_clean());
        for (object, expected) in [
            (json!({ "pending": [], "blocker": "" }), Some(true)),
            (json!({ "pending": [], "blocker": " " }), Some(true)),
            (json!({ "pending": [], "blocker": null }), Some(true)),
            (json!({ "pending": [{ "item": "" }, ""] }), Some(true)),
            (json!({ "pending": [], "blocker": "db down" }), Some(false)),
            (json!({ "pending": [{ "item": "a" }], "blocker": "" }), Some(false)),
            (json!({ "pending": [{ "x": 1 }], "blocker": "" }), Some(false)),
            (json!({ "pending": [], "blockers": "db down" }), None),
            (json!({ "blocker": "" }), None),
            (json!({ "pending": "do x", "blocker": "" }), None),
            (json!({ "pending": [], "blocker": 1 }), None),
            (json!({ "pending": ["..."], "blocker": "", "summary": "..." }), None),
            (json!({ "pending": [], "blocker": "", "summary": "…" }), None),
            (json!({ "pending": ["add tests", "<what is left>"] }), None),
            (json!({ "pending": [{ "item": " - " }] }), None),
            (
                json!({ "pending": ["fix <b>"], "blocker": "", "summary": "<i> is fine, <b> is not" }),
                Some(false),
            ),
            (json!({ "pending": [], "summary": "\u{2705} 3" }), Some(true)),
            (json!({ "pending": ["\u{4fee}\u{6b63}"] }), Some(false)),
        ] {
            assert_eq!(clean(object.clone()), expected, "{object}");
        }
        let mixed = json!({ "pending": [{ "item": "" }, { "x": 1 }, "str"], "blocker": "" });
        assert_eq!(Findings::of(&mixed).expect("findings").pending, [r#"{"x":1}"#, "str"]);
    }
}
