//! Loops that a command runs within its line.

use loop_core::{
    Bounded, Event, EventKind, Iteration, Loop, LoopStep, Progress, Report, WorkResult, with_causes,
};
use loop_manifest::{AgentOutput, Overrides, Plan, Source, model::Model};

use super::state::Session;
use crate::InputError;

impl Session {
    /// Runs a loop to its goal within the current line, and shows the results of its checks. Its usage counts for the
    /// session.
    ///
    /// # Errors
    /// The loop did not reach its goal, or somebody interrupted it.
    pub(crate) async fn run_steps<I, S>(
        &mut self,
        doing: &str,
        steps: Loop<I, S, Bounded>,
    ) -> Result<Report<I::Output>, InputError>
    where
        I: Iteration + 'static,
        S: LoopStep<Output = I::Output> + 'static,
    {
        let (stop, host) = (self.stop(), self.host().clone());
        let name = self.dialogue.model.as_ref().map_or("", Model::id);
        let view = self.show(name, doing.to_owned(), None, None);
        let shown = host.clone();
        let steps = steps.cancel_on(stop.clone()).observe(move |event: &Event, _: &Progress| {
            if let EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } = &event.kind {
                shown.say(&shown.printable(verdict.text()));
            }
        });
        let report = steps.run().await?;
        drop(view);
        self.dialogue.usage += *report.usage();
        match report.ending().halt() {
            None => Ok(report),
            Some(_) if stop.is_cancelled() => Err(InputError::Interrupted),
            Some(halt) => Err(InputError::refused(host.printable(&halt.to_string()))),
        }
    }

    /// Runs the loop that these flags describe, with the model of the session. Nobody is asked about its tools: the policy
    /// of the settings decides.
    ///
    /// # Errors
    /// As for [`run_steps`](Self::run_steps); also if there is no model, or the loop cannot run here.
    pub(crate) async fn run_planned(
        &mut self,
        doing: &str,
        flags: Overrides,
    ) -> Result<Report<AgentOutput>, InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let flags = flags.with("--model", model.asked());
        let plan = Plan::of(Source::of_flags("session", flags));
        let plan = plan.map_err(|findings| InputError::refused(findings.to_string()))?.plan;
        // The session itself captures the folder before the line.
        let execution = self.context.execution.clone().with_snapshots(None);
        let steps = plan.compose(&execution);
        let steps = steps.map_err(|error| InputError::refused(with_causes(&error)))?;
        self.run_steps(doing, steps).await
    }
}
