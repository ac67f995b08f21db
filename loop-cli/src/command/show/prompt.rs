//! The prompt of an iteration.
//!
//! The prompt is not stored. It follows from the stored manifest and from the earlier events in the journal.

use std::{path::Path, sync::Arc};

use loop_core::{Ceiling, Event, EventKind, Guardrail, IterationContext, Progress, Step, StepRecord, Work};
use loop_telemetry::{RunManifest, RunStore};
use serde::de::DeserializeOwned;

use super::{
    super::{
        Failure,
        every::STORED_AS,
        run_lifecycle::{
            run_spec,
            stored_runs::{decode_as, read_on},
            stored_spec,
        },
        usage,
    },
    iteration::none,
};
use crate::{task, view};
use loop_manifest::Plan;

/// Prints the prompt as the agent received it, except for secrets, which are not stored.
pub(super) fn show(store: &RunStore, id: &str, number: u64) -> Result<(), Failure> {
    let manifest = store.info(id)?.manifest;
    let manifest =
        manifest.ok_or_else(|| usage!("the run has no manifest from which its prompts could be rebuilt"))?;
    if manifest.path == STORED_AS {
        // The prompt is the same each time.
        let (repetition, _) = stored_spec::repetition(&manifest.text)?;
        view::print_raw(repetition.work.text().as_bytes())?;
        return Ok(());
    }
    if manifest.path == task::STORED_AS {
        return Err(usage!(
            "the prompts of a task are not stored: they contained the task file as it was then\n  \
             `loop show {id} -i {number}` shows what was done"
        ));
    }
    let plan = run_spec::stored_source(&manifest).and_then(Plan::of)?.plan;
    let cx = context(store, id, number, plan.guardrails())?;
    let prompt = run_spec::as_stored(&plan.prompt_in(&cx));
    view::print_raw(prompt.as_bytes())?;
    warn_of_changes(&manifest);
    Ok(())
}

/// Returns the input of the iteration with this number at its last start.
fn context<O: DeserializeOwned>(
    store: &RunStore,
    id: &str,
    number: u64,
    guardrails: Vec<Box<dyn Guardrail>>,
) -> Result<IterationContext<O>, Failure> {
    let mut fold = ContextFold { number, guardrails, output: None, cx: None };
    let mut progress = Progress::default();
    read_on(&mut store.journal(id)?, &mut progress, |line, progress| {
        fold.on_event(&line.event, progress);
        if let Some(output) = line.output.as_ref().filter(|_| fold.is_before(progress)) {
            fold.output = Some(Arc::new(decode_as(output)?));
        }
        Ok(())
    })?;
    fold.cx.ok_or_else(|| none(number, progress.iterations()))
}

/// Folds the events into the input of one iteration.
struct ContextFold<O> {
    number: u64,
    guardrails: Vec<Box<dyn Guardrail>>,
    /// The output of the previous iteration.
    output: Option<Arc<O>>,
    cx: Option<IterationContext<O>>,
}

impl<O> ContextFold<O> {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self.guardrails.iter_mut().for_each(|guardrail| guardrail.observe(event));
        let EventKind::IterationStarted { iteration, attempt } = event.kind else { return };
        if iteration + 1 == self.number {
            // Ignore the output of an earlier attempt.
            self.output = None;
        } else if iteration == self.number {
            let left = self.guardrails.iter().map(|guardrail| guardrail.ceiling(progress));
            let step = |record: &StepRecord| Arc::new(Step::new(record.clone(), self.output.clone()));
            let cx = IterationContext::new(&Work::new(), iteration)
                .with_attempt(attempt)
                .with_left(left.fold(Ceiling::NONE, Ceiling::min))
                .with_guidance(progress.guidance().map(Into::into))
                .with_previous(progress.last_step().map(step));
            self.cx = Some(cx);
        }
    }

    /// Returns whether the current step is the previous iteration.
    fn is_before(&self, progress: &Progress) -> bool {
        progress.current_step().is_some_and(|step| step.iteration() + 1 == self.number)
    }
}

/// Warns that iterations after an accepted change had a different prompt.
fn warn_of_changes(manifest: &RunManifest) {
    let now = run_spec::current_source(manifest).and_then(|now| run_spec::changes(manifest, &now));
    // A file that is no longer a manifest has changed, and one that no longer exists has not.
    if now.map_or_else(|_| Path::new(&manifest.path).exists(), |changes| changes.is_some()) {
        view::warning(
            "the manifest has changed since the run began: this is the prompt of the earlier manifest",
        );
    }
}
