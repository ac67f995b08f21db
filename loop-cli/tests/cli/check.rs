//! `loop check` describes what a manifest would do.

use crate::support::{Manifest, Scenario};

fn checked(scenario: &Scenario, manifest: &Manifest) -> crate::support::CommandResult {
    scenario.write("fix-it.json", manifest.0.to_string());
    scenario.run(&["check", "fix-it.json"])
}

#[test]
fn a_manifest_that_is_right_is_described_and_nothing_runs() {
    let scenario = Scenario::new();
    let ran = checked(&scenario, &Manifest::new("touch ran", "touch checked")).exits(0);
    assert_eq!(ran.stderr, "");
    for said in ["fix-it", "All is well", "touch ran", "touch checked", "at most 3 iterations"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(!scenario.has("ran") && !scenario.has("checked") && !scenario.state().exists());
}

#[test]
fn warnings_alone_are_shown_and_exit_0() {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("true", "true").set("agent.prompt", "{gaol}").set("guardrails.allow_unmetered", true);
    let ran = checked(&scenario, &manifest).exits(0).says(&[
        "{gaol}",
        "{goal}",
        "allow_unmetered",
        "{evaluator_output}",
    ]);
    assert!(ran.stderr.matches("warning:").count() >= 3 && !ran.stderr.contains("error:"), "{}", ran.stderr);
    assert!(ran.stdout.contains("fix-it"));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let scenario = Scenario::new();
    let missing = Manifest::new("no-such-agent -p", "no-such-check");
    checked(&scenario, &missing).exits(0).says(&[
        "the agent's program `no-such-agent` is not on PATH",
        "the check's program `no-such-check` is not on PATH",
    ]);
    let found = Manifest::new("no-such-agent || true", "sh -c true");
    assert_eq!(checked(&scenario, &found).exits(0).stderr, "");
    let scripts = Manifest::new("sh agent.sh", "./check.sh");
    checked(&scenario, &scripts)
        .exits(0)
        .says(&["runs `agent.sh`, which does not", "runs `./check.sh`, which"]);
    scenario.manifest(&missing);
    scenario
        .run(&["run", "loop.json"])
        .exits(2)
        .says(&["the agent's program `no-such-agent` is not on PATH"]);
    assert!(!scenario.state().join("runs").exists());
}

#[test]
fn a_command_that_is_still_to_be_written_exits_1() {
    let unfinished = Manifest::new("REPLACE_ME with your agent", "true");
    checked(&Scenario::new(), &unfinished).exits(1).says(&["agent.command"]);
}

#[test]
fn errors_exit_2_and_describe_nothing() {
    let ran = checked(&Scenario::new(), &Manifest::new("true", " ")).exits(2).says(&["evaluator.command"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_variable_of_the_environment_in_a_prompt_gets_advice() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "true").set("agent.prompt", "{goal}: {env.FOO} and ${env.BAR}");
    checked(&scenario, &manifest).exits(0).says(&["`{env.FOO}` is not a placeholder", "`{var.NAME}`"]);
}
