//! Budgets over several runs.

use std::fs;

use serde_json::Value;

use crate::{
    laws::{ended, manifest},
    server::Server,
};

/// Reports costs of this many dollars in each iteration, in two reports.
fn costs(first: &str, second: &str) -> String {
    format!(
        "echo \"{{\\\"cost_usd\\\": {first}}}\" >> \"$LOOP_USAGE_FILE\"; sleep 0.3; echo \"{{\\\"cost_usd\\\": \
         {second}}}\" >> \"$LOOP_USAGE_FILE\";"
    )
}

/// Submits runs, and returns the id of their budget and theirs.
fn submitted(server: &Server, folder: &std::path::Path, args: &[&str]) -> (String, Vec<String>) {
    let output = server.output(&[&["submit", "loop.yaml"], args].concat(), folder);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let fleet = errors.split_whitespace().last().unwrap_or_default().to_owned();
    let runs = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert!(output.status.success(), "{errors}");
    (fleet, runs)
}

#[test]
fn a_budget_that_one_run_crosses_ends_all_runs_and_is_not_exceeded_by_more_than_a_report() {
    let server = Server::start();
    let _worker = server.worker("fleet", "w");
    let folder = tempfile::tempdir().expect("a folder");
    // The run of `big` spends $0.60 in each iteration, each other run $0.02.
    let agent = format!(
        "if test {{var.file}} = big; then {} else {} fi;",
        costs("0.4", "0.2"),
        costs("0.01", "0.01")
    );
    let text = manifest(&agent, "false", "").replace("max_iterations: 6", "max_iterations: 40");
    let text = format!("vars: {{ file: none }}\n{text}");
    fs::write(folder.path().join("loop.yaml"), text).expect("a manifest");
    let more =
        ["--queue", "fleet", "--budget", "2", "--longest-history", "60", "--each", "big", "a", "b", "c"];
    let (fleet, runs) = submitted(&server, folder.path(), &more);
    assert_eq!(runs.len(), 4);
    let outcomes: Vec<_> = runs.iter().map(|run| ended(&server, run, folder.path())).collect();
    let endings: Vec<_> = outcomes.iter().map(|outcome| outcome.ending.name()).collect();
    let shown: Value =
        serde_json::from_str(&server.says(&["show", &fleet, "--json"], folder.path())).expect("JSON");
    let reports: f64 =
        outcomes.iter().filter_map(|it| it.status.usage.cost).map(|cost| cost.usd.as_f64()).sum();
    assert!(endings.iter().all(|ending| *ending == "shared_budget_exceeded"), "{endings:?} {shown}");
    let spent = shown["spent"].as_f64().expect("a number");
    assert!((spent - reports).abs() < 1e-6, "{spent} of the budget, {reports} of the runs");
    // One report of each step that was in progress.
    assert!((1.99..=2.0 + 0.4).contains(&spent), "{shown}");
    assert_eq!((&shown["reserved"], &shown["runs"]), (&0.0.into(), &0.into()), "{shown}");
}
