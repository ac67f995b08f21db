//! Advice after a run.

use loop_core::{Ending, Progress, StopReason};
use loop_guardrails::SpendingRate;

use crate::Plan;

const PASSED_FIRST: &str = "nothing: the check passed before the first iteration";

/// Describes the next step for a person after a run. `called` is the person's name for a path of the manifest, and
/// `is_kept` tells whether the run can be resumed.
///
/// ```
/// use loop_core::{Ending, Halt, Progress, StopReason};
/// use loop_manifest::{Plan, Source, next_step};
///
/// let text = "agent: {command: claude -p}\nevaluator: {command: make}\nguardrails: {max_iterations: 3}\n";
/// let plan = Plan::of(Source::from_bytes("loop.yaml".as_ref(), text.into())?)?.plan;
/// let ending = Ending::halted(Halt::new(StopReason::Cancelled, ""));
/// let next = next_step(&plan, (&ending, &Progress::default()), true, |path| path);
/// assert!(next.starts_with("resume the run"));
/// # Ok::<(), loop_manifest::Diagnostics>(())
/// ```
pub fn next_step(
    plan: &Plan,
    (ending, progress): (&Ending, &Progress),
    is_kept: bool,
    called: impl Fn(&'static str) -> &'static str,
) -> String {
    let again = if is_kept { "resume the run" } else { "run again" };
    let raise = |limit| format!("raise {}, or split the goal", called(limit));
    let (agent, check) = (called("agent.command"), called("evaluator.command"));
    match ending.reason() {
        None if progress.iterations() == 0 => PASSED_FIRST.to_owned(),
        None => {
            "look at what changed, with `git diff` for example, before you keep it".to_owned()
        }
        Some(StopReason::MaxIterations) if let Some(fault) = last_fault(progress) => format!(
            "run the agent ({agent}) yourself, and see why it fails: in the last iteration, {fault}"
        ),
        Some(StopReason::MaxIterations) if plan.evaluator.command.is_none() => {
            "look at the last output of the check, with `loop show -i N --evaluation`; then sharpen the prompt, \
             or the criteria"
                .to_owned()
        }
        Some(StopReason::MaxIterations) => format!(
            "run the check ({check}) yourself, and see what still fails; then sharpen the prompt, or raise {}",
            called("guardrails.max_iterations")
        ),
        Some(StopReason::BudgetExceeded) if ending.guardrail() == Some(SpendingRate::NAME) => {
            format!("find out why it was so fast; then {}", raise("guardrails.max_usd_per_hour"))
        }
        Some(StopReason::BudgetExceeded) => {
            format!("look at what the agent did for the money; then {}", raise("guardrails.max_cost_usd"))
        }
        Some(StopReason::TokensExceeded) => {
            format!("look at what the agent did; then {}", raise("guardrails.max_tokens"))
        }
        Some(StopReason::Unmetered) => format!(
            "find out why {agent} does not report its usage; or accept that with {}",
            called("guardrails.allow_unmetered")
        ),
        Some(StopReason::TimeExceeded) => {
            format!("look at what the agent did; then {}", raise("guardrails.max_seconds"))
        }
        Some(StopReason::HitlCheckpoint) if is_kept => {
            "look at what the agent did, then resume the run: `--note TEXT` adds a note to the next prompt".to_owned()
        }
        Some(StopReason::HitlCheckpoint) => {
            "look at what the agent did, and run again: in a terminal you will be asked".to_owned()
        }
        Some(StopReason::Declined) => format!("change what you did not like, and {again}"),
        Some(StopReason::ConsecutiveFailures) => {
            format!("run the agent ({agent}) and the check yourself, and find out which one fails, and why")
        },
        Some(StopReason::AgentUnavailable) => see_that_it_runs(agent),
        Some(StopReason::EvaluatorUnavailable) if plan.evaluator.command.is_none() => {
            "make sure that the judge can be asked: `loop check` looks for keys and programs".to_owned()
        }
        Some(StopReason::EvaluatorUnavailable) => see_that_it_runs(check),
        Some(StopReason::PromptUndeliverable) => {
            format!("take {{prompt}} out of {agent}: then the prompt goes to standard input, at any size")
        }
        Some(StopReason::Cancelled) => format!("{again} when you like; what the agent changed is still there"),
        _ => format!("find out why it stopped before you {again}"),
    }
}

/// Returns what went wrong with the agent in the last iteration, in one line.
fn last_fault(progress: &Progress) -> Option<&str> {
    progress.last_step()?.fault()?.lines().next()
}

fn see_that_it_runs(command: &str) -> String {
    format!("make sure that {command} can run: is it installed, and on PATH?")
}

/// Describes how to continue a stored run, or what to do first. `id` is a sufficient prefix of its id.
///
/// ```
/// let progress = loop_core::Progress::default();
/// assert_eq!(loop_manifest::how_to_continue("0198b2", &progress, true), "`loop tail 0198b2` follows it");
/// ```
pub fn how_to_continue(id: &str, progress: &Progress, is_running: bool) -> String {
    let resume = format!("loop resume {id}");
    let Some(ending) = progress.ending() else {
        return match is_running {
            true => format!("`loop tail {id}` follows it"),
            false => format!("`{resume}` continues where it was cut off"),
        };
    };
    match ending.reason() {
        None if progress.iterations() == 0 => PASSED_FIRST.to_owned(),
        None => "look at what changed, with `git diff` for example".to_owned(),
        Some(StopReason::MaxIterations) => format!("`{resume} --add-iterations 5` allows five more"),
        // A spending rate that is too high stays too high: more money does not help.
        Some(StopReason::BudgetExceeded) if ending.guardrail() == Some(SpendingRate::NAME) => {
            format!("find out why it was so fast; then `{resume}`")
        }
        Some(StopReason::BudgetExceeded) => format!("`{resume} --add-cost 1` allows a dollar more"),
        Some(StopReason::TimeExceeded) => format!("`{resume} --add-seconds 1800` allows half an hour more"),
        Some(StopReason::TokensExceeded) => format!("`{resume} --add-tokens 100000` allows as many more"),
        Some(StopReason::HitlCheckpoint) | Some(StopReason::Declined) => {
            format!(
                "look at what the agent did; then `{resume}`, with `--note TEXT` to add a note to the next prompt"
            )
        }
        Some(StopReason::Cancelled) => format!("`{resume}` continues it"),
        _ => format!("find out why it stopped; then `{resume}`"),
    }
}

/// Returns the command that resumes this run, as a line below its summary; `None` if the run met its goal.
///
/// ```
/// use loop_core::{Ending, Halt, StopReason};
///
/// let ending = Ending::halted(Halt::new(StopReason::MaxIterations, ""));
/// let hint = loop_manifest::resume_hint(&ending, "0198b2").unwrap_or_default();
/// assert!(hint.ends_with("loop resume 0198b2 --add-iterations N"));
/// ```
pub fn resume_hint(ending: &Ending, run: &str) -> Option<String> {
    // A spending rate that is too high stays too high: more money does not help.
    let reason = ending.reason()?;
    let is_rate = ending.guardrail() == Some(SpendingRate::NAME);
    let command = resume_command(Some(reason).filter(|_| !is_rate), run);
    Some(format!("  {:<11}{command}", "resume"))
}

/// Returns the command that resumes a run which ended for this reason, with the flag that raises the limit.
///
/// ```
/// assert_eq!(loop_manifest::resume_command(None, "0198b2"), "loop resume 0198b2");
/// ```
pub fn resume_command(reason: Option<&StopReason>, run: &str) -> String {
    let more = match reason {
        Some(StopReason::MaxIterations) => " --add-iterations N",
        Some(StopReason::BudgetExceeded) => " --add-cost USD",
        Some(StopReason::TimeExceeded) => " --add-seconds N",
        Some(StopReason::TokensExceeded) => " --add-tokens N",
        _ => "",
    };
    format!("loop resume {run}{more}")
}
