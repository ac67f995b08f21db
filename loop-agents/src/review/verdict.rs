//! Receives a reviewer's verdict, through a channel that only the reviewer can use.
//!
//! A file in the work tree is not a safe channel: it may be left over from the run before, and the agent whose work is
//! judged can write it. So a model calls a tool that only the reviewing conversation has. A command ends its words with
//! an object that contains a number which only this review knows. Text that the reviewer quotes from a file, or from an
//! earlier review, has another number or none.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Findings;
use crate::{
    chat::TurnEvent,
    output::{json_objects, one_line},
    tools::{Tool, ToolContext, ToolError},
};

/// The name of the verdict tool.
pub(super) const TOOL: &str = "give_verdict";
/// The key of a review's number.
pub(super) const KEY: &str = "review";

/// Receives the verdict of one review. Clones share their state.
///
/// The last reply that calls the tool counts, because a model may change its mind. If a call in that reply is rejected,
/// there is no verdict, until a valid reply comes. Two verdicts in one reply are merged.
#[derive(Debug, Clone, Default)]
pub(super) struct VerdictSlot(Arc<Mutex<SlotState>>);

#[derive(Debug, Default)]
struct SlotState {
    /// The number of calls in the last reply that has any.
    asked: u32,
    /// The number of these calls that were valid verdicts.
    given: u32,
    found: Option<Findings>,
    /// Whether another reply has come since.
    is_over: bool,
}

impl VerdictSlot {
    /// Takes the verdict out, if one has arrived.
    pub(super) fn take(&self) -> Option<Findings> {
        let SlotState { asked, given, found, .. } = std::mem::take(&mut *self.place());
        found.filter(|_| asked <= given)
    }

    /// Handles an event of the review.
    pub(super) fn on_event(&self, event: TurnEvent<'_>) {
        let mut held = self.place();
        match event {
            TurnEvent::Replied => held.is_over = true,
            TurnEvent::Calling(call) if call.name == TOOL => {
                if held.is_over {
                    *held = SlotState::default();
                }
                held.asked += 1;
            }
            _ => {}
        }
    }

    fn give(&self, found: Findings) {
        let mut held = self.place();
        held.given += 1;
        held.found = Some(match held.found.take() {
            Some(before) => before.and(&found),
            None => found,
        });
    }

    fn place(&self) -> MutexGuard<'_, SlotState> {
        // No code under this lock panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tool by which a reviewing model gives its verdict. Its [`VerdictSlot`] decides which call counts.
pub(super) struct GiveVerdict(pub(super) VerdictSlot);

/// The verdict of a review.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The remaining work, most important first, at most five items. Empty if nothing remains.
    pending: Vec<String>,
    /// Something that keeps the work from being done and needs a person. Empty if there is nothing like that.
    blocker: String,
    /// The state of the work, and how you know it, in a few sentences.
    summary: String,
}

#[async_trait]
impl Tool for GiveVerdict {
    type Arguments = Arguments;

    fn name(&self) -> &'static str {
        TOOL
    }

    fn description(&self) -> &'static str {
        "Gives your verdict on the work. Call it once, at the end, after you have checked what you can."
    }

    async fn call(&self, arguments: Arguments, _: &ToolContext) -> Result<String, ToolError> {
        let Arguments { pending, blocker, summary } = arguments;
        if Findings::is_template(&pending, &blocker, &summary) {
            return Err(ToolError::rejected(
                "the verdict contains a placeholder: call it again with what you found",
            ));
        }
        self.0.give(Findings::new(pending, &blocker, &summary));
        Ok("your verdict is recorded; now end with one sentence".to_owned())
    }
}

/// Returns a number that nobody can guess. The keys of a [`RandomState`] come from the system's source of randomness.
pub(super) fn nonce() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// Returns the verdict of a model that has the tool: its tool calls, merged with a verdict in its last words. If the
/// words contain this review's number but are unreadable, they may take the verdict back, so nothing counts.
pub(super) fn of_model(given: Option<Findings>, words: &str, nonce: &str) -> Option<Findings> {
    match (given, in_words(words, nonce)) {
        (Some(given), Some(said)) => Some(given.and(&said)),
        (Some(given), None) => (!words.contains(nonce)).then_some(given),
        (None, said) => said,
    }
}

/// Returns the id of a verdict that is readable, apart from belonging to another review; empty if it has no id.
pub(super) fn other_id(words: &str) -> Option<String> {
    let all = json_objects::outermost(words).ok()?;
    let mut object = json_objects::unique(&words[all.last()?.clone()])?;
    let id = object.as_object_mut()?.remove(KEY);
    serde_json::from_value::<Arguments>(object).ok()?;
    Some(id.map(|id| id.as_str().map_or_else(|| id.to_string(), one_line)).unwrap_or_default())
}

/// Returns the verdict in a reviewer's own last words: the last object with this review's number. An ambiguous verdict
/// is rejected: an object inside of another one, an object with a duplicate key, or an object after which the number
/// occurs again.
pub(super) fn in_words(words: &str, nonce: &str) -> Option<Findings> {
    let all = json_objects::outermost(words).ok()?;
    let at = all.iter().rposition(|object| words[object.clone()].contains(nonce))?;
    let object = json_objects::unique(&words[all[at].clone()])?;
    let ends = all[at..].iter().map(|object| object.end);
    let begins = all[at + 1..].iter().map(|object| object.start).chain([words.len()]);
    let behind: String = ends.zip(begins).map(|(end, begin)| &words[end..begin]).collect();
    let is_clear = object[KEY] == nonce && !behind.contains(nonce) && !json_objects::closes(&behind);
    is_clear.then(|| Findings::of(&object))?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::chat::ToolCall;

    #[test]
    fn only_an_object_with_the_number_of_this_review_is_a_verdict() {
        let own = nonce();
        let other = nonce();
        assert_ne!(own, other);
        let object = |nonce: &str, rest: &str| format!("{{\"{KEY}\": \"{nonce}\", {rest}}}");
        let (clean, left) = (r#""pending": [], "blocker": """#, r#""pending": ["x"]"#);
        for (words, expected) in [
            (object(&own, clean), Some(true)),
            (format!("I looked.\n```json\n{}\n```\nThat is all.", object(&own, clean)), Some(true)),
            (format!("{}\nNo:\n{}", object(&own, clean), object(&own, left)), Some(false)),
            // A verdict file that the executor wrote, according to the reviewer's text.
            (format!("verdict.json has {}", object(&other, clean)), None),
            (object(&own, r#""pending": "none""#), None),
            (format!("{}\n{}", object(&own, clean), object(&own, "\"pending\": \"?\"")), None),
            (format!("{} {{\"{KEY}\": \"{own}\"", object(&other, clean)), None),
            // Ambiguous verdicts.
            (object(&own, r#""pending": ["x"], "pending": []"#), None),
            (object(&own, r#""pending": [{"item": "x", "item": ""}]"#), None),
            (object(&own, r#""pending": [], "blockers": "no key""#), None),
            (format!("{{\"draft\": {}, \"but\": \"x is missing\"}}", object(&own, clean)), None),
            (format!("{{\"{KEY}\": \"{own}\", \"pending\": [{}]}}", object(&own, clean)), Some(false)),
            (format!("[{}, {}]", object(&own, left), object(&own, clean)), None),
            (format!("{{pending: x, {}}}", object(&own, clean)), None),
            (format!("{{pending: x, {}}}, {{\"a\": 1}}}}", object(&own, clean)), None),
            (format!("{{pending: x, {}}} {{\"a\": 1}}", object(&own, clean)), None),
            (format!("{} {{\"cost\": 1}} [1]", object(&own, clean)), Some(true)),
            (format!("{}\n{{\"rather\": {}}}", object(&own, clean), object(&own, left)), None),
            (format!("{}\nNo: {{{own}: x is left", object(&own, clean)), None),
            ("Nothing is pending.".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(in_words(&words, &own).map(|found| found.is_clean()), expected, "{words}");
        }
    }

    proptest! {
        /// A verdict with findings never reads as a clean one, whatever surrounds it.
        #[test]
        fn nothing_around_a_verdict_takes_from_it(
            before in "(\\{|\\}|\\[|\\]|\"|:|,|pending|\\{\"review\":\"n0\",| ){0,12}",
            after in "(\\{|\\}|\\[|\\]|\"|:|,|pending|\"pending\":\\[\\]|n0| ){0,12}",
        ) {
            let words = format!("{before}{{\"review\":\"n0\",\"pending\":[\"x\"]}}{after}");
            let found = in_words(&words, "n0");
            prop_assert!(found.is_none_or(|found| !found.is_clean()), "{}", words);
        }

        #[test]
        fn words_without_the_number_are_no_verdict(words in "(\\{|\\}|\\[|\\]|\"|:|,|review|pending|[a-f0-9]| ){0,60}") {
            prop_assert_eq!(in_words(&words, "0123456789abcdef"), None);
        }
    }

    #[test]
    fn of_several_verdicts_none_is_taken_for_less_than_it_says() {
        let found = |items: &[&str]| Findings::new(items, "", "");
        let call = ToolCall::new("c", TOOL, Value::Null);
        let (clean, left) = (Some(&[][..]), Some(&["x"][..]));
        // Each reply is a list of calls, with their findings, or `None` for a rejected call.
        for (replies, expected) in [
            (vec![vec![clean]], Some(true)),
            (vec![vec![left], vec![clean]], Some(true)),
            (vec![vec![clean], vec![left]], Some(false)),
            (vec![vec![clean], vec![None]], None),
            (vec![vec![clean], vec![None], vec![clean]], Some(true)),
            (vec![vec![clean, left]], Some(false)),
            (vec![vec![left, clean]], Some(false)),
            (vec![vec![clean, None]], None),
            (vec![vec![None, clean]], None),
            (vec![vec![clean], vec![]], Some(true)),
            (vec![], None),
        ] {
            let slot = VerdictSlot::default();
            for reply in &replies {
                slot.on_event(TurnEvent::Replied);
                for verdict in reply {
                    slot.on_event(TurnEvent::Calling(&call));
                    if let Some(items) = verdict {
                        slot.give(found(items));
                    }
                }
            }
            assert_eq!(slot.take().map(|found| found.is_clean()), expected, "{replies:?}");
            assert_eq!(slot.take(), None);
        }
    }

    #[test]
    fn last_words_add_to_what_was_given() {
        let (clean, left) = (Findings::default(), Findings::new(["x"], "", ""));
        let said = |rest: &str| format!("So: {{\"{KEY}\": \"n0\", {rest}}}");
        for (given, words, expected) in [
            (Some(&clean), "That is all.".to_owned(), Some(true)),
            (Some(&clean), said("\"pending\": [\"y\"]"), Some(false)),
            (Some(&left), said("\"pending\": []"), Some(false)),
            (Some(&clean), said("\"pending\": \"y\""), None),
            (None, said("\"pending\": []"), Some(true)),
            (None, "Nothing is pending.".to_owned(), None),
        ] {
            let found = of_model(given.cloned(), &words, "n0");
            assert_eq!(found.map(|found| found.is_clean()), expected, "{given:?} {words}");
        }
    }

    #[test]
    fn deep_braces_take_no_time() {
        assert_eq!(in_words(&"{\"a\":".repeat(20_000), "n"), None);
    }
}
