//! Builds a loop from a plan.

mod agent;
mod agent_prompt;
mod checks;
mod error;
mod lane_limits;
mod lane_places;
mod lanes;
mod lanes_output;
mod listeners;
mod on_finish;
mod output;
mod parts;
mod pipeline;
mod resume_guardrail;
mod review;
mod sandbox;
mod skills;
mod stagnation;
mod steps;
mod stop_condition;

use loop_core::{Bounded, Guardrail, JudgedStep, Loop, Pace, pace_fn};
use loop_guardrails::{
    Backoff, Checkpoint, ConsecutiveFailures, MaxCost, MaxElapsed, MaxTokens, SpendingRate,
    UnmeteredIterations,
};

pub use self::{
    agent::{FirstPrompt, PlannedAgent},
    error::{ComposeError, ToolsError},
    lanes_output::{LaneOutput, LanesOutput},
    on_finish::ON_FINISH_TIME,
    output::AgentOutput,
};
pub(crate) use self::{
    checks::{confirmed, observe_check_output},
    listeners::observe_model_output,
    sandbox::{confined, state_folder},
};
use self::{
    lane_limits::{LaneLimits, OnePass},
    lanes::{AfterLanes, Lanes},
    pipeline::AfterLastFile,
    resume_guardrail::ResumeGuardrail,
};
use crate::{
    context::ExecutionContext,
    plan::{Limits, PacePlan, Plan, ResumePlan},
    snapshots::WithSnapshots,
};

/// The maximum number of times that loops which run at once are interrupted and resumed.
const MAX_CUT_PASSES: u64 = 1_000;

/// The loop that a plan describes. It has every limit of the plan; a journal, observers, an ask handler or a
/// cancellation token can be added.
pub type PlannedLoop = Loop<WithSnapshots<PlannedAgent>, JudgedStep<AgentOutput>, Bounded>;

/// The maximum number of consecutive iterations without the usage that a limit counts.
const MAX_UNMETERED: u64 = 3;

impl Plan {
    /// Makes the loop, whose parts run where `cx` says.
    ///
    /// Composing runs nothing. It writes nothing but the private temporary folder of a sandbox, and the folder for the
    /// state of an agent that has never run. It sets the limits of the supervisor.
    ///
    /// # Errors
    /// A part cannot work here: a key is not set, the settings are wrong, or the folder cannot be used.
    ///
    /// ```
    /// use loop_agents::process::Supervisor;
    /// use loop_manifest::{ExecutionContext, Plan, Source};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = "\
    /// goal: There is a file
    /// agent:
    ///   command: touch done.txt
    ///   prompt: '{goal}'
    /// evaluator:
    ///   command: test -e done.txt
    /// guardrails:
    ///   max_iterations: 3
    /// ";
    /// let plan = Plan::of(Source::from_bytes("loop.yaml".as_ref(), text.into())?)?.plan;
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path();
    /// let cx = ExecutionContext::new(folder, Supervisor::new("run-7"))?.with_variables(std::env::vars_os());
    /// let report = plan.compose(&cx)?.run().await?;
    /// assert!(report.is_success());
    /// assert_eq!(report.progress().iterations(), 1);
    /// # Ok(()) }
    /// ```
    pub fn compose(&self, cx: &ExecutionContext) -> Result<PlannedLoop, ComposeError> {
        self.limit_resources(cx)?;
        let lane_limits = LaneLimits::new(self.limits.clone());
        let agent = match self.parallel {
            Some(parallel) => Lanes::new(self, parallel, lane_limits.clone(), cx)?.into(),
            None => self.agent(cx)?,
        };
        let agent = WithSnapshots::of_plan(agent, self, cx);
        // Each of several loops has its own.
        let stagnation = self.stagnation().filter(|_| self.parallel.is_none());
        let mut judged = Loop::new(agent)
            .evaluate(AfterLanes { check: checks::all(self, stagnation.as_ref(), cx)?, copies: cx.copies() });
        if self.check_first {
            judged = judged.evaluate_first(AgentOutput::None);
        }
        let composed = judged
            .until(AfterLastFile(stop_condition::stop_condition(&self.stop)))
            .at_most(self.parallel.map_or(self.max_iterations(), |_| MAX_CUT_PASSES))
            .pace(pace(self.pace, cx.seed()));
        let composed = self.rails(lane_limits).into_iter().fold(composed, Loop::guard);
        Ok(stagnation.into_iter().fold(composed, Loop::guard))
    }

    /// Limits what all commands under the supervisor use together, if the plan says so.
    pub(crate) fn limit_resources(&self, cx: &ExecutionContext) -> Result<(), ComposeError> {
        if self.resources.is_empty() {
            return Ok(());
        }
        cx.supervisor().limit(self.resources).map_err(ComposeError::part("`limits` cannot be enforced here"))
    }

    /// Returns the most iterations of the composed loop. Several loops at once are one iteration, and one more for each time
    /// that a person interrupts them.
    pub const fn max_iterations(&self) -> u64 {
        if self.parallel.is_some() { 1 } else { self.limits.max_iterations.get() }
    }

    /// Builds the guardrails that need nothing but events, in order. The iteration limit is not among them: it is the
    /// loop's own bound.
    pub fn guardrails(&self) -> Vec<Box<dyn Guardrail>> {
        self.rails(LaneLimits::new(self.limits.clone()))
    }

    fn rails(&self, lanes: LaneLimits) -> Vec<Box<dyn Guardrail>> {
        let mut rails = self.limits.guardrails();
        if self.parallel.is_some() {
            rails.push(Box::new(OnePass::new(self.limits.clone(), lanes)));
        }
        if self.resume != ResumePlan::Rerun {
            rails.push(Box::new(ResumeGuardrail::new(self.resume)));
        }
        rails
    }
}

impl Limits {
    fn guardrails(&self) -> Vec<Box<dyn Guardrail>> {
        let mut rails: Vec<Box<dyn Guardrail>> = Vec::new();
        if let Some(cost) = self.max_cost {
            rails.push(Box::new(MaxCost::new(cost)));
        }
        if let Some(cost) = self.max_hourly_cost {
            rails.push(Box::new(SpendingRate::per_hour(cost)));
        }
        if let Some(tokens) = self.max_tokens {
            rails.push(Box::new(MaxTokens::new(tokens.get())));
        }
        if let Some(time) = self.max_time {
            rails.push(Box::new(MaxElapsed::new(time)));
        }
        if let Some(failures) = self.max_consecutive_failures {
            rails.push(Box::new(ConsecutiveFailures::new(failures.get())));
        }
        // After the failures: an agent that fails at once reports nothing, and the failure is the better reason.
        if !self.allow_unmetered && (self.max_cost.is_some() || self.max_hourly_cost.is_some()) {
            rails.push(Box::new(UnmeteredIterations::cost(MAX_UNMETERED)));
        }
        if !self.allow_unmetered && self.max_tokens.is_some() {
            rails.push(Box::new(UnmeteredIterations::tokens(MAX_UNMETERED)));
        }
        if let Some(every) = self.checkpoint {
            rails.push(Box::new(Checkpoint::from(every)));
        }
        rails
    }
}

/// The longer of both waits.
fn pace(PacePlan { every, backoff }: PacePlan, seed: u64) -> impl Pace + use<> {
    let backoff = Backoff::new(backoff).seed(seed);
    pace_fn(move |progress| backoff.delay(progress).max(every))
}

#[cfg(test)]
mod tests {
    use loop_agents::process::Supervisor;
    use loop_core::{Action, RunTime};

    use crate::{ExecutionContext, Plan, Source};

    /// A program that drives the loop of a manifest itself can store it between any two steps.
    #[tokio::test]
    async fn each_part_of_a_composed_loop_has_a_snapshot() {
        let folder = tempfile::tempdir().expect("a folder");
        let copies = tempfile::tempdir().expect("a folder");
        let limits = "max_iterations: 3, max_cost_usd: 1, max_usd_per_hour: 1, max_tokens: 9, max_seconds: 9, \
                      max_consecutive_failures: 2";
        let goals = [
            "type: evaluator_pass",
            "all: [type: evaluator_pass, {type: output_matches, pattern: x}]",
            "not: {type: evaluator_pass}",
        ];
        let others = [
            "}\n",
            "}\nparallel: {n: 2}\n",
            ", hitl_checkpoint: 2}\nresume: ask\n",
            "}\nstagnation: {oscillation_after: 3}\n",
        ];
        for (goal, other) in goals.iter().flat_map(|goal| others.map(|other| (goal, other))) {
            let text = format!(
                "goal: x\nagent: {{command: 'true', prompt: x, format: usage-file}}\nevaluator: {{command: 'true'}}\n\
                 stop_condition: {{{goal}}}\nguardrails: {{{limits}{other}"
            );
            let source = Source::from_bytes("loop.yaml".as_ref(), text.clone().into()).expect("a manifest");
            let plan = Plan::of(source).unwrap_or_else(|why| panic!("{text}{why:?}")).plan;
            let cx = ExecutionContext::new(folder.path(), Supervisor::new("run")).expect("a folder");
            let cx = cx.with_copies(Some(copies.path().to_owned()));
            let mut run = plan.compose(&cx).expect("a loop").into_parts().expect("parts").run;
            assert!(matches!(run.begin(RunTime::ZERO), Some(Action::Iterate { .. })), "{text}");
            let snapshot = run.snapshot().unwrap_or_else(|why| panic!("{text}{why}"));
            let again = plan.compose(&cx).expect("a loop").resume_snapshot(snapshot, None);
            let mut again = again.into_parts().expect("the same parts").run;
            assert_eq!(again.snapshot().expect("a snapshot"), run.snapshot().expect("a snapshot"), "{text}");
        }
    }
}
