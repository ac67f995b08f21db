//! One iteration of a run.

use loop_agents::shell::ShellOutput;
use loop_core::Progress;
use loop_manifest::StoredAgentOutput;
use loop_telemetry::{Logs, RunStore, rows::RowFold};

use super::super::{
    Failure,
    run_lifecycle::stored_runs::{decode, read_on},
    usage,
};
use crate::{
    args::PartArgs,
    view::{self, IterationPage, text},
};

/// Prints the iteration with this number, or the requested part of it.
pub(super) fn show(store: &RunStore, id: &str, number: u64, part: &PartArgs) -> Result<(), Failure> {
    let (found, unread) = find(store, id, number)?;
    if part.output {
        let none = || unread.unwrap_or_else(|| nothing(number, "the agent has no stored output"));
        print_raw(&found.output.ok_or_else(none)?)?;
    } else if part.evaluation {
        let verdict = found.details.verdict.ok_or_else(|| nothing(number, "there is no verdict"))?;
        view::print_raw(verdict.text().as_bytes())?;
    } else {
        let files = Logs::of(store.folder_of(id)?).of_iteration(number).unwrap_or_default();
        view::print(&found.page(&files))?;
    }
    Ok(())
}

/// Prints the stored output to the stream that it came from.
fn print_raw(output: &StoredAgentOutput) -> Result<(), Failure> {
    match output {
        StoredAgentOutput::Shell(output) => {
            view::print_raw(&output.stdout.to_bytes())?;
            view::print_raw_errors(&output.stderr.to_bytes());
            warn_of_gaps(output);
        }
        other => drop(view::print_raw(other.words().unwrap_or_default().as_bytes())?),
    }
    Ok(())
}

/// Warns about gaps. Nothing marks them in the stored output, which is byte for byte what the command printed.
fn warn_of_gaps(output: &ShellOutput) {
    for (name, kept) in [("output", &output.stdout), ("error output", &output.stderr)] {
        if kept.omitted() > 0 {
            let (omitted, head) = (text::bytes(kept.omitted()), text::bytes(kept.head().len() as u64));
            view::warning(&format!("{omitted} of the {name} were not stored, after the first {head}"));
        }
    }
}

fn nothing(number: u64, what: &str) -> Failure {
    usage!("iteration {number}: {what}\n  `loop show RUN -i {number}` shows how it ended")
}

/// Finds the journal's data on the iteration, and why its output is unreadable, if it is. Only callers that show the
/// output need that reason.
fn find(store: &RunStore, id: &str, number: u64) -> Result<(IterationPage, Option<Failure>), Failure> {
    let (mut progress, mut rows) = (Progress::default(), RowFold::default());
    let (mut found, mut unread) = (IterationPage::default(), None);
    let mut exists = false;
    read_on(&mut store.journal(id)?, &mut progress, |line, _| {
        if let Some(row) = rows.on_event(&line.event).filter(|row| row.iteration == number) {
            found.details.row = row;
            exists = true;
        }
        if rows.current().is_some_and(|row| row.iteration == number) {
            match line.output.as_ref().map(decode) {
                Some(Ok(output)) => {
                    rows.record_output(&output);
                    (found.output, unread) = (Some(output), None);
                }
                Some(Err(why)) => unread = Some(why),
                None => {}
            }
            found.on_event(&line.event);
        }
        Ok(())
    })?;
    if let Some(row) = rows.current().filter(|row| row.iteration == number) {
        found.details.row = row.clone();
        exists = true;
    }
    match exists {
        true => Ok((found, unread)),
        false => Err(none(number, progress.iterations())),
    }
}

/// Returns the error for an iteration that does not exist.
pub(super) fn none(number: u64, iterations: u64) -> Failure {
    usage!("the run has no iteration {number}: it has had {iterations}")
}
