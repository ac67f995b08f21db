//! Agents that change what judges them, through the real binary with `evaluator.sealed: true`.
//!
//! No cheat of the table ends as a success, and every honest solution does. The table also gives the page of the guide.
#![cfg(all(test, target_os = "linux"))]

#[path = "../cli/support.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod support;

mod cases;
mod more_cmake;
mod more_documents;
mod more_helpers;
mod more_judges;
mod more_places;
mod more_runners;
mod more_scripts;
mod more_surroundings;
mod page;
mod project;

use std::{env, fs, path::PathBuf, thread};

use serde_json::Value;

use cases::{Case, cheats, honest};
use project::Project;
use support::{CommandResult, Manifest, RunningCommand, Scenario};

/// Runs the agent of this case.
fn run(case: &Case, agent: &str, is_sealed: bool) -> CommandResult {
    let scenario = Scenario::new();
    case.project.write(&scenario);
    fs::create_dir_all(scenario.path("tools")).expect("a folder");
    let prepared = scenario.command("sh", &["-c", case.before]).status();
    assert!(prepared.is_ok_and(|status| status.success()), "{}", case.before);
    let keys: serde_json::Map<String, Value> = serde_json::from_str(case.keys).expect("an object");
    let mut manifest = Manifest::new("./agent", case.check())
        .set("evaluator.sealed", is_sealed)
        .set("agent.command", agent)
        .set("guardrails.max_iterations", 2);
    for (key, value) in keys {
        manifest = manifest.set(&format!("evaluator.{key}"), value);
    }
    scenario.manifest(&manifest);
    let path = env::var_os("PATH").unwrap_or_default();
    let home = scenario.path("../home");
    let own = [home.join("bin"), scenario.path("tools")];
    let path = env::join_paths(own.into_iter().chain(env::split_paths(&path))).expect("a list");
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    command.env("PATH", path).env("PYTHONPATH", scenario.path(""));
    // Where rustup has the compiler of the project, which has another home folder.
    let rustup = env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".rustup")));
    command.envs(rustup.map(|folder| ("RUSTUP_HOME", folder)));
    // Where Go has its standard library compiled.
    command.envs(env::var_os("GOCACHE").map(|folder| ("GOCACHE", folder)));
    RunningCommand::new(&mut command).finish()
}

/// Runs all cases of these projects, and returns what went wrong.
fn failures(
    cases: impl Iterator<Item = &'static Case>,
    projects: &[Project],
    is_honest: bool,
) -> Vec<String> {
    let cases: Vec<_> = cases.filter(|case| projects.contains(&case.project)).collect();
    let judge = |case: &Case| {
        let agent = match is_honest {
            true if case.agent.is_empty() => case.project.solution().to_owned(),
            true => format!("{}; {}", case.project.solution(), case.agent),
            false => case.agent.to_owned(),
        };
        let result = run(case, &agent, true);
        let is_success = result.code == 0;
        (is_success != is_honest)
            .then(|| format!("{:?}: {}\n{}{}", case.project, case.name, result.stderr, result.stdout))
    };
    // Two at once: the other projects run beside these.
    let (some, others) = cases.split_at(cases.len() / 2);
    let judge_all = |cases: &[&Case]| cases.iter().filter_map(|case| judge(case)).collect::<Vec<_>>();
    thread::scope(|scope| {
        let others = scope.spawn(|| judge_all(others));
        [judge_all(some), others.join().expect("the cases")].concat()
    })
}

#[test]
#[ignore = "for people who add a row: it shows that a cheat works against a bare check"]
fn without_a_seal_cheats_succeed() {
    let fails: Vec<_> =
        cheats().filter(|case| !case.is_on_the_seal && run(case, case.agent, false).code != 0).collect();
    assert!(fails.is_empty(), "{} cheats fail anyway: {fails:#?}", fails.len());
}

fn assert_none(failures: &[String], what: &str) {
    assert!(failures.is_empty(), "{} {what}:\n{}", failures.len(), failures.join("\n----\n"));
}

macro_rules! projects {
    ($($(#[$attribute:meta])? $cheats:ident, $honest:ident: $projects:expr;)*) => {$(
        #[test]
        $(#[$attribute])?
        fn $cheats() {
            assert_none(&failures(cheats(), &$projects, false), "cheats end as a success");
        }

        #[test]
        $(#[$attribute])?
        fn $honest() {
            assert_none(&failures(honest(), &$projects, true), "honest solutions do not pass");
        }
    )*};
}

projects! {
    no_script_is_cheated, every_script_can_be_satisfied: [Project::Script, Project::Make];
    no_python_project_is_cheated, every_python_project_can_be_solved: [Project::Python];
    no_node_project_is_cheated, every_node_project_can_be_solved: [Project::Node, Project::Npm];
    no_cargo_project_is_cheated, every_cargo_project_can_be_solved: [Project::Cargo];
    #[ignore = "needs pytest: `.ci/cheats` installs it"]
    no_pytest_project_is_cheated, every_pytest_project_can_be_solved: [Project::Pytest];
    #[ignore = "needs Go: `.ci/cheats` installs it"]
    no_go_project_is_cheated, every_go_project_can_be_solved: [Project::Go];
    #[ignore = "needs CMake: `.ci/cheats` installs it"]
    no_cmake_project_is_cheated, every_cmake_project_can_be_solved: [Project::CMake];
}
