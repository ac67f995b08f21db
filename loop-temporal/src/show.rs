//! Shows runs and budgets.

use std::process::ExitCode;

use loop_core::Usd;
use loop_temporal::{FleetState, Outcome, RunStatus, Runs, Waits};
use serde_json::json;

use crate::{arguments::RunArgs, commands::print};

/// The exit code of a run that ended without its goal.
const HALTED: u8 = 1;

/// Shows a run or a budget.
pub(crate) async fn show_any(runs: &Runs, args: &RunArgs) -> anyhow::Result<ExitCode> {
    match runs.fleet(&args.run).await? {
        Some(fleet) => show_fleet(&fleet, args.json),
        None => show(&args.run, &runs.status(&args.run).await?, args.json),
    }
}

/// Shows a run that is over, and returns its exit code.
pub(crate) fn ended(run: &str, outcome: &Outcome, as_json: bool) -> anyhow::Result<ExitCode> {
    match as_json {
        true => print(&serde_json::to_string(outcome)?)?,
        false => drop(show(run, &outcome.status, false)?),
    }
    Ok(if outcome.ending.is_success() { ExitCode::SUCCESS } else { ExitCode::from(HALTED) })
}

fn show_fleet(FleetState { runs, ledger, .. }: &FleetState, as_json: bool) -> anyhow::Result<ExitCode> {
    let [budget, spent, held] = [ledger.budget, ledger.spent, ledger.held()].map(Usd::nanos);
    let (runs, waiting) = (runs.saturating_sub(ledger.runs_left()), ledger.waiting());
    if as_json {
        let [budget, spent, held] = [budget, spent, held].map(Usd::as_f64);
        let state =
            json!({"budget": budget, "spent": spent, "reserved": held, "runs": runs, "waiting": waiting});
        print(&state.to_string())?;
    } else {
        let rows = [
            ("budget", budget.to_string()),
            ("spent", spent.to_string()),
            ("reserved", held.to_string()),
            ("runs", format!("{runs}, of which {waiting} wait")),
        ];
        rows.iter().try_for_each(row)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(run: &str, status: &RunStatus, as_json: bool) -> anyhow::Result<ExitCode> {
    if as_json {
        print(&serde_json::to_string(status)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let branch = status.branch.as_ref().map(|branch| match &branch.trouble {
        Some(trouble) => format!("{}, whose last commit is not pushed: {trouble}", branch.name),
        None => branch.name.clone(),
    });
    let rows = [
        ("name", Some(status.name.clone())),
        ("state", Some(status.phase.clone())),
        ("worker", Some(status.worker.clone().unwrap_or_else(|| "none".to_owned()))),
        ("waits", status.waits.as_ref().map(|waits| waiting(run, status, waits))),
        ("trouble", status.trouble.clone()),
        ("branch", branch),
        ("iterations", Some(status.iterations.to_string())),
        ("tokens", status.usage.tokens().map(|tokens| tokens.to_string())),
        ("cost", status.usage.cost.map(|cost| cost.usd.to_string())),
    ];
    let known = |(name, value): (&'static str, Option<String>)| value.map(|value| (name, value));
    rows.into_iter().filter_map(known).try_for_each(|it| row(&it))?;
    for step in &status.steps {
        let verdict = step.verdict().map_or_else(|| "no verdict".to_owned(), |it| it.outcome().to_string());
        print(&format!("  step {}: {}", step.iteration(), step.failure().unwrap_or(&verdict)))?;
    }
    let question = status.question.as_ref().map(|question| question.text.to_string());
    let ending = status.ending.as_ref().map(|ending| ending.name().to_owned());
    [("question", question), ("ending", ending)].into_iter().filter_map(known).try_for_each(|it| row(&it))?;
    Ok(ExitCode::SUCCESS)
}

fn row((name, value): &(&str, String)) -> anyhow::Result<()> {
    print(&format!("{name:<12}{value}"))
}

/// Says what a run waits for, and what a person can do about it.
fn waiting(run: &str, status: &RunStatus, waits: &Waits) -> String {
    match waits {
        Waits::Queue(queue) => format!("for a worker; this starts one: loop worker --queue {queue}"),
        Waits::Host { seconds } => {
            let worker = status.worker.as_deref().unwrap_or("that has it");
            format!(
                "for the worker {worker}, for {seconds} s: it is busy or away; if its host is lost: loop reassign {run}"
            )
        }
    }
}
