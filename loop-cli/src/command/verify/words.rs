//! The words about a verified run.

use loop_manifest::snapshots::state;
use loop_telemetry::ChainState;

use super::CheckedAgain;
use crate::view::text;

pub(super) fn row(key: &str, value: &str) -> String {
    format!("{key:<9}{}", text::printable(value))
}

pub(super) fn about_journal(chain: &ChainState, run: &str) -> String {
    match chain {
        ChainState::Intact { lines, later: 0 } => {
            format!("intact: {}, as the run wrote them", text::count(*lines, "line"))
        }
        ChainState::Intact { lines, later } => format!(
            "intact up to the last record; {} of {lines} follow it, because the run was resumed and did not end \
             (`loop resume {run}` ends it)",
            text::count(*later, "line")
        ),
        ChainState::Unrecorded { lines } => format!(
            "{} fit each other, but the run has no end to compare with (`loop resume {run}` continues it)",
            text::count(*lines, "line")
        ),
        ChainState::NotChained { lines } => format!(
            "not chained: {} come from an earlier version of loop, and a change would not be found (runs of this version \
             are chained)",
            text::count(*lines, "line")
        ),
        ChainState::Broken { why } => {
            format!("changed: {why}; a backup of the state directory may have the original")
        }
        _ => "unknown".to_owned(),
    }
}

pub(super) fn about_check(check: &CheckedAgain) -> Vec<String> {
    let (judged, fresh) = (state(check.iteration), &check.fresh);
    let ran = match fresh.is_sealed {
        true => format!("sealed; ran again on {judged}, in a fresh place"),
        false => format!(
            "not sealed; ran again on {judged}, in a fresh place, with the checks and tests that the run left there"
        ),
    };
    let mut lines = vec![row("check", &ran)];
    if !fresh.is_sealed && !fresh.changed.is_empty() {
        let changed: Vec<_> = fresh.changed.iter().map(|path| path.display().to_string()).collect();
        lines.push(row(
            "warning",
            &format!(
                "the run changed files that judge: {} (`evaluator.sealed: true` would not have used that)",
                changed.join(", ")
            ),
        ));
    }
    let (recorded, now) = (check.recorded, fresh.verdict.outcome());
    let verdict = match check.agrees() {
        Some(true) => format!("{now}, as recorded"),
        Some(false) => format!(
            "{now}, but the run recorded {recorded}{}",
            fresh.verdict.feedback().map(|why| format!(": {why}")).unwrap_or_default()
        ),
        None => format!(
            "{now}, and the run recorded {recorded}: another judge than the command decided, and is not asked again"
        ),
    };
    lines.push(row("verdict", &verdict));
    lines
}
