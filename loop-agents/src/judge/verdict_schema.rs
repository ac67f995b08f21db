//! The form that a judge fills in, and the rules for a valid one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::votes::Vote;
use crate::{
    chat::Reply,
    output::{excerpt, json_objects},
    tools::{ToolDefinition, schema},
};

/// The name of the tool through which a judge returns its verdict.
pub(super) const TOOL: &str = "give_verdict";

/// A text that every form contains.
const KEY: &str = "\"criteria\"";

/// How many bytes to show of a reply that is not a verdict.
const SHOWN_BYTES: usize = 200;

/// The longest reason that is kept: a judge that quotes the whole output adds nothing.
const REASON_BYTES: usize = 2048;

/// The verdict: one entry for each criterion.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictSchema {
    /// One entry for each criterion, in their order; none left out, and none twice.
    criteria: Vec<CriterionAnswer>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CriterionAnswer {
    /// The number of the criterion, from 1.
    number: usize,
    /// Why, in a sentence or two: what in the output shows it, or what is missing. Write this first.
    reason: String,
    /// How well it is met, from 0 (not at all) to 1 (fully). Above 0.5 only if it is met, below 0.5 only if it is not.
    #[schemars(range(min = 0, max = 1))]
    score: f64,
    /// Whether it is met.
    met: bool,
}

/// A judge's finding on one criterion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CriterionFinding {
    pub(super) reason: String,
    pub(super) score: f64,
    pub(super) met: bool,
}

/// A vote: its finding on each criterion, or why the vote is unclear.
pub(super) type VoteFindings = Result<Vec<CriterionFinding>, String>;

/// Returns what a vote counts as.
pub(super) fn vote(findings: &VoteFindings) -> Vote {
    match findings {
        Ok(findings) if findings.iter().all(|finding| finding.met) => Vote::Yes,
        Ok(_) => Vote::No,
        Err(_) => Vote::Unclear,
    }
}

/// Defines the tool that takes the form.
pub(super) fn tool() -> ToolDefinition {
    ToolDefinition {
        name: TOOL.to_owned(),
        description: "Submits the verdict. Call it exactly once.".to_owned(),
        parameters: schema::<VerdictSchema>(),
    }
}

/// Reads the vote in a reply about this many criteria.
pub(super) fn read(reply: &Reply, criteria: usize) -> VoteFindings {
    if reply.truncated {
        return Err("its reply was cut off at its token limit".to_owned());
    }
    let answers = match reply.calls.as_slice() {
        [] => in_words(&reply.text)?,
        [call] if call.name == TOOL => {
            let answers = VerdictSchema::deserialize(&call.arguments).map_err(|error| unreadable(&error))?;
            let says_more = !call.in_text && reply.text.contains(KEY);
            if says_more && in_words(&reply.text).ok().as_ref() != Some(&answers) {
                return Err("its text contradicts the verdict that it submitted".to_owned());
            }
            answers
        }
        [call] => return Err(format!("it called `{}` instead of giving a verdict", shown(&call.name))),
        several => return Err(format!("it gave {} answers instead of one", several.len())),
    };
    findings(answers, criteria)
}

/// Finds the form in a judge's text: the last object, if no other one looks like a form.
fn in_words(text: &str) -> Result<VerdictSchema, String> {
    let mut objects = json_objects::outermost(text).map_err(|_| no_verdict(text))?;
    let last = objects.pop().ok_or_else(|| no_verdict(text))?;
    let forms = objects.iter().filter(|object| text[object.start..object.end].contains(KEY)).count();
    if forms > 0 {
        return Err(format!("it gave {} answers instead of one", forms + 1));
    }
    serde_json::from_str(&text[last]).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> String {
    format!("its verdict cannot be read: {error}")
}

/// Returns the finding on each criterion, if the form is clear.
fn findings(VerdictSchema { criteria: answers }: VerdictSchema, criteria: usize) -> VoteFindings {
    let mut findings: Vec<Option<CriterionFinding>> = vec![None; criteria];
    for CriterionAnswer { number, reason, score, met } in answers {
        let place = number.checked_sub(1).and_then(|index| findings.get_mut(index));
        let place = place.ok_or_else(|| format!("it judged criterion {number}, which does not exist"))?;
        if !(0.0..=1.0).contains(&score) {
            return Err(format!("its score for criterion {number} is {score}, which is not between 0 and 1"));
        }
        if (met && score < 0.5) || (!met && score > 0.5) {
            let word = if met { "met" } else { "not met" };
            return Err(format!(
                "it contradicts itself: criterion {number} is {word}, with a score of {score}"
            ));
        }
        if place
            .replace(CriterionFinding { reason: excerpt(reason.trim().as_bytes(), REASON_BYTES), score, met })
            .is_some()
        {
            return Err(format!("it judged criterion {number} twice"));
        }
    }
    let missing = findings.iter().position(Option::is_none);
    match missing {
        Some(index) => Err(format!("it left out criterion {}", index + 1)),
        None => Ok(findings.into_iter().flatten().collect()),
    }
}

fn no_verdict(text: &str) -> String {
    match text.trim() {
        "" => "it returned nothing".to_owned(),
        text => format!("it gave no verdict, but wrote: {}", shown(text)),
    }
}

/// Formats a model's text for a single line of a message.
fn shown(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    excerpt(words.join(" ").as_bytes(), SHOWN_BYTES).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::chat::ToolCall;

    fn entry(number: usize, score: f64, met: bool) -> Value {
        json!({ "number": number, "reason": "so it is", "score": score, "met": met })
    }

    fn handed_in(entries: &[Value]) -> Reply {
        Reply::default().with_call(ToolCall::new("c1", TOOL, json!({ "criteria": entries })))
    }

    fn unclear(reply: &Reply) -> String {
        read(reply, 2).expect_err("unclear")
    }

    #[test]
    fn a_whole_verdict_counts_as_a_call_and_as_text() {
        let entries = [entry(2, 1.0, true), entry(1, 0.5, true)];
        let text = format!("Here it is:\n```json\n{}\n```", json!({ "criteria": entries }));
        for reply in [handed_in(&entries), Reply::text(text)] {
            let findings = read(&reply, 2);
            assert_eq!(vote(&findings), Vote::Yes, "{findings:?}");
        }
        assert_eq!(vote(&read(&handed_in(&[entry(1, 1.0, true), entry(2, 0.2, false)]), 2)), Vote::No);
    }

    #[test]
    fn what_is_not_clear_is_named() {
        let both = [entry(1, 1.0, true), entry(2, 1.0, true)];
        let twice = handed_in(&both).with_call(ToolCall::new("c2", TOOL, json!({ "criteria": both })));
        let duplicate = r#"{"criteria": [], "criteria": []}"#;
        let said: Vec<_> = [
            Reply::text(""),
            Reply::text("I'm sorry, I cannot\njudge this."),
            Reply::text(r#"{"criteria": [{"number": 1, "#),
            Reply::text(duplicate),
            Reply::text(r#"{"verdict": "yes"}"#),
            handed_in(&both).truncated(),
            twice,
            Reply::default().with_call(ToolCall::new("c1", "read_file", json!({}))),
            handed_in(&both[..1]),
            handed_in(&[both[0].clone(), both[1].clone(), entry(2, 0.0, false)]),
            handed_in(&[both[0].clone(), entry(3, 1.0, true)]),
            handed_in(&[both[0].clone(), entry(0, 1.0, true)]),
            handed_in(&[both[0].clone(), entry(2, 1.5, true)]),
            handed_in(&[both[0].clone(), entry(2, -0.1, false)]),
            handed_in(&[both[0].clone(), entry(2, 0.1, true)]),
            handed_in(&[both[0].clone(), json!({ "number": 2, "reason": "", "score": 1, "met": "yes" })]),
            handed_in(&[both[0].clone(), json!({ "number": 2, "reason": "", "score": 1 })]),
        ]
        .iter()
        .map(unclear)
        .collect();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../../tests/snapshots" }, {
            insta::assert_snapshot!("unclear_verdicts", said.join("\n"));
        });
    }

    #[test]
    fn what_is_said_in_two_ways_is_no_vote() {
        let yes = json!({ "criteria": [entry(1, 1.0, true)] });
        let no = json!({ "criteria": [entry(1, 0.0, false)] });
        let beside = |text: String| {
            Reply { text, ..Reply::default() }.with_call(ToolCall::new("c", TOOL, yes.clone()))
        };
        let duplicate_keys =
            r#"{"criteria":[{"number":1,"reason":"","score":0,"met":false,"score":1,"met":true}]}"#;
        for (reply, expected) in [
            (beside(String::new()), Vote::Yes),
            (beside("All is there.".to_owned()), Vote::Yes),
            (beside(format!("So: {yes}")), Vote::Yes),
            (beside(format!("So: {no}")), Vote::Unclear),
            (beside("So: {\"criteria\": [".to_owned()), Vote::Unclear),
            (Reply::text(format!("{no} or {yes}")), Vote::Unclear),
            (
                Reply::default().with_call(ToolCall::new("c", TOOL, Value::from(duplicate_keys))),
                Vote::Unclear,
            ),
        ] {
            assert_eq!(vote(&read(&reply, 1)), expected, "{reply:?}");
        }
    }

    proptest! {
        #[test]
        fn a_vote_says_yes_only_if_every_criterion_is_met_once(
            entries in prop::collection::vec((0..4_usize, -0.5..1.5_f64, any::<bool>()), 0..5),
        ) {
            let answers: Vec<_> = entries.iter().map(|(number, score, met)| entry(*number, *score, *met)).collect();
            let findings = read(&handed_in(&answers), 2);
            let mut numbers: Vec<_> = entries.iter().map(|(number, ..)| *number).collect();
            numbers.sort_unstable();
            let all_met = entries.iter().all(|(_, score, met)| *met && (0.5..=1.0).contains(score));
            prop_assert_eq!(vote(&findings) == Vote::Yes, numbers == [1, 2] && all_met);
        }

        #[test]
        fn no_text_without_an_object_is_a_vote(text in "[^{]*") {
            prop_assert_eq!(vote(&read(&Reply::text(text), 1)), Vote::Unclear);
        }
    }
}
