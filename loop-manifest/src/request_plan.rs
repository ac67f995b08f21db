//! The request for a plan.

use loop_agents::{
    judge::OutputText,
    plan::{self, PlanDocument, PlanError},
    shell::Template,
};
use loop_core::{BuildError, Loop, Step, Usage, condition_fn};
use loop_telemetry::{jiff::Timestamp, words::printable};

use crate::{
    AgentOutput,
    compose::ComposeError,
    context::ExecutionContext,
    plan::{AgentPlan, WorkPlan},
};

/// The most bytes of a reply in which a plan is looked for. They are its last ones.
const REPLY_BYTES: usize = 256 << 10;

/// A plan that was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestPlanError {
    /// The agent cannot work here.
    #[error(transparent)]
    Agent(#[from] ComposeError),
    /// The request could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The agent failed.
    #[error("the agent made no plan: {0}")]
    Failed(String),
    /// The reply has no plan that can be performed.
    #[error("the reply is not a plan\n{reply}")]
    Reply {
        /// The reply.
        reply: String,
        /// The error in it.
        source: PlanError,
    },
}

/// Asks an agent for a plan of a task, and also returns the usage. A model gets no tools, and only its system prompt beside
/// the request.
///
/// # Errors
/// The agent cannot be asked, fails, or its reply has no steps or more than 50.
///
/// # Cancel safety
/// Dropping the future ends the agent. Nothing is stored.
///
/// ```
/// use loop_agents::{process::Supervisor, shell::CommandLine};
/// use loop_manifest::{ExecutionContext, plan::AgentPlan, request_plan};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cx = ExecutionContext::new("/tmp", Supervisor::new("run-9"))?.with_variables(std::env::vars_os());
/// let agent = AgentPlan::of_command(CommandLine::parse("echo '- [ ] Write the parser'")?);
/// let (plan, _) = request_plan("Parse the file", agent, &cx).await?;
/// assert_eq!((plan.goal(), plan.steps().len()), ("Parse the file", 1));
/// # Ok(()) }
/// ```
pub async fn request_plan(
    task: &str,
    mut agent: AgentPlan,
    cx: &ExecutionContext,
) -> Result<(PlanDocument, Usage), RequestPlanError> {
    // A template would read the braces of the task.
    agent.prompt = Template::new("{goal}");
    if let WorkPlan::Model(model) = &mut agent.work {
        model.tools.clear();
    }
    let asked = agent.build(cx)?.goal(&plan::request(task));
    let once = condition_fn(|_: &Step<AgentOutput>, _| true);
    let report = Loop::new(asked).until(once).at_most(1).run().await?;
    let Some(output) = report.last_output() else {
        return Err(RequestPlanError::Failed(report.ending().to_string()));
    };
    // The file may be shared, and is printed: it has no secrets and no control characters.
    let safe = |text: &str| printable(text, &cx.redactor());
    let reply = safe(&output.last_words(REPLY_BYTES));
    let now = Timestamp::try_from(cx.now()).unwrap_or(Timestamp::UNIX_EPOCH);
    let plan = PlanDocument::of_reply(&reply, &safe(task), now).map_err(|source| match output.failure() {
        Some(failure) => RequestPlanError::Failed(failure),
        None => RequestPlanError::Reply { reply, source },
    })?;
    Ok((plan, *report.usage()))
}
