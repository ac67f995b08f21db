//! The prompt that an iteration was given.
//!
//! It is not kept: it follows from the manifest that is, and from what the journal says had happened by then.

use std::{fs, path::Path, sync::Arc};

use loop_core::{Ceiling, Event, EventKind, Guardrail, IterationContext, Progress, Step, StepRecord, Work};
use loop_telemetry::{REDACTED, RunManifest, RunStore};
use serde::de::DeserializeOwned;

use super::{
    super::{
        Failure, begun,
        every::KEPT_AS,
        kept::{decode_as, read_on},
        subject, usage,
    },
    iteration::none,
};
use crate::{
    task,
    view::{self, changes},
};
use loop_manifest::Plan;

/// Prints it as the agent got it, but for secrets, which are not kept.
pub(super) fn show(store: &RunStore, id: &str, number: u64) -> Result<(), Failure> {
    let manifest = store.info(id)?.manifest;
    let manifest = manifest
        .ok_or_else(|| usage!("the run was begun without a manifest, of which prompts could be made"))?;
    if manifest.path == KEPT_AS {
        // The same each time.
        let (repetition, _) = begun::repetition(&manifest.text)?;
        view::hand_over(repetition.work.text().as_bytes())?;
        return Ok(());
    }
    if manifest.path == task::KEPT_AS {
        return Err(usage!(
            "the prompts of a task are not kept: they have the task file in them as it was then\n  \
             `loop show {id} -i {number}` says what was done"
        ));
    }
    let loaded = subject::kept(&manifest).and_then(Plan::of);
    let plan = loaded?.plan;
    let cx = context(store, id, number, plan.guardrails())?;
    let prompt = plan.prompt_in(&cx)?;
    view::hand_over(prompt.as_bytes())?;
    warn_of_changes(&manifest);
    Ok(())
}

/// What the iteration with this number was given when it last began.
fn context<O: DeserializeOwned>(
    store: &RunStore,
    id: &str,
    number: u64,
    guardrails: Vec<Box<dyn Guardrail>>,
) -> Result<IterationContext<O>, Failure> {
    let mut given = Given { number, guardrails, output: None, cx: None };
    let mut progress = Progress::default();
    read_on(&mut store.journal(id)?, &mut progress, |line, progress| {
        given.on_event(&line.event, progress);
        if let Some(output) = line.output.as_ref().filter(|_| given.is_before(progress)) {
            given.output = Some(Arc::new(decode_as(output)?));
        }
        Ok(())
    })?;
    given.cx.ok_or_else(|| none(number, progress.iterations()))
}

/// The fold of the events into what one iteration was given.
struct Given<O> {
    number: u64,
    guardrails: Vec<Box<dyn Guardrail>>,
    /// What the iteration before it made.
    output: Option<Arc<O>>,
    cx: Option<IterationContext<O>>,
}

impl<O> Given<O> {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        self.guardrails.iter_mut().for_each(|guardrail| guardrail.observe(event));
        let EventKind::IterationStarted { iteration, attempt } = event.kind else { return };
        if iteration + 1 == self.number {
            // What an earlier attempt at it made does not count.
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

    /// Whether the step under way is the one before.
    fn is_before(&self, progress: &Progress) -> bool {
        progress.current_step().is_some_and(|step| step.iteration() + 1 == self.number)
    }
}

/// Iterations after a change that was accepted were told something else.
fn warn_of_changes(manifest: &RunManifest) {
    let now = fs::read_to_string(Path::new(&manifest.path)).unwrap_or_else(|_| manifest.text.clone());
    if changes::between(&manifest.text, &now, REDACTED).is_some() {
        view::warning("the manifest has changed since the run began: this is the prompt of what it was then");
    }
}
