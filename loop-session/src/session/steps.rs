//! Loops that a command runs within its line.

use std::sync::{Arc, Mutex, PoisonError};

use loop_agents::{
    chat::{ToolCall, TurnEvent},
    tools::ToolReport,
};
use loop_core::{
    Bounded, Event, EventKind, Iteration, Loop, LoopStep, Progress, Report, WorkResult, with_causes,
};
use loop_manifest::{AgentOutput, Overrides, Plan, Source, model::Model, plan::WorkPlan};

use super::state::Session;
use crate::{ActivityView, InputError};

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
        let name = self.dialogue.model.as_ref().map_or("", Model::id);
        let view = self.show(name, doing.to_owned(), None, None);
        let done = self.run_to_goal(steps).await;
        drop(view);
        done
    }

    async fn run_to_goal<I, S>(&mut self, steps: Loop<I, S, Bounded>) -> Result<Report<I::Output>, InputError>
    where
        I: Iteration + 'static,
        S: LoopStep<Output = I::Output> + 'static,
    {
        let (stop, host) = (self.stop(), self.host().clone());
        let shown = host.clone();
        let steps = steps.cancel_on(stop.clone()).observe(move |event: &Event, _: &Progress| {
            if let EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } = &event.kind {
                shown.say(&shown.printable(verdict.text()));
            }
        });
        let report = steps.run().await?;
        self.dialogue.usage += *report.usage();
        match report.ending().halt() {
            None => Ok(report),
            Some(_) if stop.is_cancelled() => Err(InputError::Interrupted),
            Some(halt) => Err(InputError::refused(host.printable(&halt.to_string()))),
        }
    }

    /// Runs the loop that these flags describe, with the model, the system prompt and the tools of the session, under its
    /// rules. Its tools ask the person who typed the line, as those of a turn do, and the transcript has its calls.
    ///
    /// # Errors
    /// As for [`run_steps`](Self::run_steps); also if there is no model, or the loop cannot run here.
    pub(crate) async fn run_planned(
        &mut self,
        doing: &str,
        flags: Overrides,
    ) -> Result<Report<AgentOutput>, InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let (id, flags) = (model.id().to_owned(), flags.with("--model", model.asked()));
        let plan = Plan::of(Source::of_flags("session", flags));
        let mut plan = plan.map_err(|findings| InputError::refused(findings.to_string()))?.plan;
        if let WorkPlan::Model(part) = &mut plan.agent.work {
            part.system.clone_from(&self.dialogue.system);
            part.tools = if self.tools.are_on { self.tools.names.clone() } else { Vec::new() };
        }
        let (approvals, originals) = (self.tools.approvals.clone(), self.tools.originals.clone());
        let turns = StepTurns::new(self.show(&id, doing.to_owned(), None, None));
        let heard = turns.clone();
        // The session itself captures the folder before the line.
        let execution = self.context.execution.clone().with_snapshots(None);
        let execution = execution
            .with_settings(Ok(self.context.settings.clone()))
            .attended(move |tools| tools.approval(approvals.clone()).keeping(originals.clone()))
            .on_turn_event(move |event| heard.hear(event));
        let steps = plan.compose(&execution);
        let steps = steps.map_err(|error| InputError::refused(with_causes(&error)))?;
        let done = self.run_to_goal(steps).await;
        for (call, report) in turns.finish() {
            self.log.calling(&call);
            self.log.called(&report);
        }
        done
    }
}

/// The turns of steps: their display, and their calls for the transcript. Clones share both.
#[derive(Clone)]
struct StepTurns(Arc<Mutex<Turns>>);

struct Turns {
    view: Option<Box<dyn ActivityView>>,
    /// The call that runs now.
    call: Option<ToolCall>,
    calls: Vec<(ToolCall, ToolReport)>,
}

impl StepTurns {
    fn new(view: Box<dyn ActivityView>) -> Self {
        Self(Arc::new(Mutex::new(Turns { view: Some(view), call: None, calls: Vec::new() })))
    }

    fn hear(&self, event: TurnEvent<'_>) {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            TurnEvent::Calling(call) => turns.call = Some(call.clone()),
            TurnEvent::Called(report) => {
                let call = turns.call.take();
                turns.calls.extend(call.map(|call| (call, report.clone())));
            }
            _ => {}
        }
        if let Some(view) = &mut turns.view {
            view.on_event(event);
        }
    }

    /// Ends the display, and returns the calls.
    fn finish(&self) -> Vec<(ToolCall, ToolReport)> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.view = None;
        std::mem::take(&mut turns.calls)
    }
}
