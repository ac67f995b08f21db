//! The treatment of an iteration in which the run was cut off.
//!
//! An agent that was killed in the middle of its work has sent half of the mails, or moved half of the files.
//! Most agents look at what is there and go on. If yours does not, say so in the manifest: then nothing runs twice
//! before a person has looked.

use loop_core::{
    BoxError, Decision, Event, EventKind, Guardrail, Halt, Progress, Question, SnapshotError, StopReason,
};

use crate::plan::ResumePlan;

/// Halts or asks before an interrupted iteration runs again. Resuming a run that halted here allows it.
#[derive(Debug)]
pub(crate) struct ResumeGuardrail {
    plan: ResumePlan,
    under_way: bool,
    /// The iteration that was under way when the run was cut off, until it is known what becomes of it.
    cut_off: bool,
}

impl ResumeGuardrail {
    pub(crate) const fn new(plan: ResumePlan) -> Self {
        Self { plan, under_way: false, cut_off: false }
    }
}

impl Guardrail for ResumeGuardrail {
    fn name(&self) -> &str {
        "resume"
    }

    fn check(&self, progress: &Progress) -> Decision {
        if !self.cut_off {
            return Decision::Continue;
        }
        let iteration = progress.iterations() + 1;
        let halt = |message| Halt::new(StopReason::HitlCheckpoint, message);
        match self.plan {
            ResumePlan::Rerun => Decision::Continue,
            ResumePlan::Halt => Decision::Halt(halt(format!(
                "the run was cut off in iteration {iteration}, and the manifest does not let that iteration run \
                 again by itself"
            ))),
            ResumePlan::Ask => Decision::Ask(Question::new(
                format!("The run was cut off in iteration {iteration}. Run it again?"),
                halt(format!(
                    "the run was cut off in iteration {iteration}, and nobody was there to decide whether it may \
                     run again"
                )),
            )),
        }
    }

    fn observe(&mut self, event: &Event) {
        match &event.kind {
            EventKind::IterationStarted { .. } => (self.under_way, self.cut_off) = (true, false),
            EventKind::IterationFinished { .. } | EventKind::WorkCut { .. } => self.under_way = false,
            EventKind::RunResumed {} if self.under_way => (self.under_way, self.cut_off) = (false, true),
            EventKind::RunFinished { .. } => self.cut_off = false,
            _ => {}
        }
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        // Two truth values always have a form.
        serde_json::to_string(&(self.under_way, self.cut_off))
            .map_err(|_| SnapshotError::missing(self.name()))
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        (self.under_way, self.cut_off) = serde_json::from_str(state)?;
        Ok(())
    }
}
