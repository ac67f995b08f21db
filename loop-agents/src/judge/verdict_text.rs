//! Writes the verdict's text for the reader, and its feedback for the agent.

use std::fmt::Write;

use loop_core::{Outcome, Verdict};

use super::{
    verdict_schema::{CriterionFinding, VoteFindings},
    votes::{VotePolicy, VoteTally},
};
use crate::output::excerpt;

/// Builds the verdict of these votes. Each of its texts has at most `max_bytes` plus a notice.
pub(super) fn verdict(
    outcome: Outcome,
    tally: VoteTally,
    votes: VotePolicy,
    votes_so_far: &[VoteFindings],
    criteria: &[String],
    max_bytes: usize,
) -> Verdict {
    let mut page = heading(outcome, tally, votes);
    let unmet = reasons(votes_so_far, criteria, false) + &unclear(votes_so_far);
    page.push_str(&reasons(votes_so_far, criteria, true));
    // The unmet criteria come last, because a reader may see only the end of a long text.
    page.push_str(&unmet);
    let mut verdict = Verdict::new(outcome).with_text(excerpt(page.trim_end().as_bytes(), max_bytes));
    if outcome != Outcome::Pass {
        verdict = verdict.with_feedback(excerpt(unmet.trim().as_bytes(), max_bytes));
    }
    match score(votes_so_far) {
        Some(score) => verdict.with_score(score),
        None => verdict,
    }
}

fn heading(outcome: Outcome, tally: VoteTally, votes: VotePolicy) -> String {
    if votes.most() == 1 {
        let said = match outcome {
            Outcome::Pass => "the judge says yes",
            Outcome::Fail => "the judge says no",
            Outcome::Inconclusive => "the judge is undecided",
        };
        return format!("{said}\n");
    }
    let VoteTally { yes, no, unclear, .. } = tally;
    let parts = [(yes, "yes"), (no, "no"), (unclear, "unclear")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    format!("votes: {}; {} of {} must say yes\n", parts.join(", "), votes.needed(), votes.most())
}

/// Lists the criteria that all votes found met, or those that any vote found unmet, with the reasons of those votes.
fn reasons(votes_so_far: &[VoteFindings], criteria: &[String], met: bool) -> String {
    let mut page = String::new();
    for (index, criterion) in criteria.iter().enumerate() {
        let of_all = || {
            let clear = votes_so_far.iter().filter_map(|findings| findings.as_ref().ok());
            clear.filter_map(|findings| findings.get(index))
        };
        if of_all().next().is_none() || of_all().all(|finding| finding.met) != met {
            continue;
        }
        // Writing to a string does not fail.
        let _ = writeln!(page, "\n{}: {}", if met { "met" } else { "not met" }, criterion.trim());
        let mut said = Vec::new();
        for CriterionFinding { reason, .. } in of_all().filter(|finding| finding.met == met) {
            if !reason.is_empty() && !said.contains(&reason) {
                let _ = writeln!(page, "- {}", reason.replace('\n', "\n  "));
                said.push(reason);
            }
        }
    }
    page
}

fn unclear(votes_so_far: &[VoteFindings]) -> String {
    let why = votes_so_far.iter().filter_map(|findings| findings.as_ref().err());
    why.map(|why| format!("\nunclear: {why}\n")).collect()
}

/// Returns the mean of all scores.
fn score(votes_so_far: &[VoteFindings]) -> Option<f64> {
    let clear = votes_so_far.iter().filter_map(|findings| findings.as_ref().ok()).flatten();
    let scores: Vec<_> = clear.map(|finding| finding.score).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}
