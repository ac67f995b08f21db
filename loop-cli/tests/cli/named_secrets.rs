//! Secrets that a manifest or a command line gives by name: no message shows them, and a changed manifest cannot hide
//! behind the place of one.

use std::{fs, process::Command};

use crate::{
    schedule::{added, schedule},
    stored_files::stored,
    support::{CommandResult, Manifest, RunningCommand, Scenario},
};

const SECRET: &str = "hunter2AlphaBeta99";

fn yaml(rest: &str) -> String {
    format!(
        "agent:\n  command: \"true\"\nevaluator: {{command: \"false\"}}\nguardrails: {{max_iterations: 1}}\n{rest}\n"
    )
}

fn hides(ran: &CommandResult) {
    let shown = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!shown.contains(SECRET), "{shown}");
}

#[test]
fn no_message_about_a_manifest_shows_its_secrets() {
    for (rest, said) in [
        (format!("vars: {{db_pw: {SECRET}}}"), "is not used"),
        (format!("vars: {{db_pw: {SECRET}, x: 3}}"), "has to be text"),
        (format!("vars:\n  stripe_key:\n    {SECRET}"), "is not used"),
        (format!("vars: {{api_token: '{SECRET}'"), "cannot be read"),
    ] {
        let scenario = Scenario::new();
        scenario.write("it.yaml", yaml(&rest));
        for args in [
            &["run", "it.yaml"][..],
            &["check", "it.yaml"],
            &["schedule", "add", "--every", "1h", "--run", "it.yaml"],
        ] {
            hides(&scenario.run(args).says(&[said]));
        }
    }
}

#[test]
fn no_message_about_a_command_line_shows_its_secrets() {
    let scenario = Scenario::new();
    scenario.write("it.yaml", yaml(""));
    for set in [
        format!("agent.env.set={{STRIPE_KEY: {SECRET}, B: 1}}"),
        format!("agent.env.set={{\"DB_PW\": \"{SECRET}\", \"B\": 1}}"),
        format!("agent={{command: ls, env: {{set: {{DB_PW: {SECRET}, B: 1}}}}}}"),
        format!("vars={{db_pw: {SECRET}}}"),
    ] {
        hides(&scenario.run(&["run", "it.yaml", "--set", &set]).says(&["the command line"]));
    }
}

#[test]
fn a_change_beside_a_secret_is_a_change() {
    let scenario = Scenario::new();
    let with = |set: &str| {
        scenario.write(
            "it.yaml",
            yaml("").replacen("\"true\"\n", &format!("\"true\"\n  env: {{set: {{{set}}}}}\n"), 1),
        );
    };
    with(&format!("API_TOKEN: {SECRET}"));
    scenario.run(&["run", "it.yaml"]).exits(1);
    let resume = || scenario.run(&["resume", "--add-iterations", "1"]);
    with(&format!("API_TOKEN: {SECRET}, BASH_ENV: evil"));
    hides(&resume().exits(2).says(&["has changed since", "BASH_ENV: evil"]));
    with(&format!("API_TOKEN: {SECRET}"));
    resume().exits(1).says(&["max_iterations"]);
    // Another value of the same secret is no change.
    with("API_TOKEN: hunter2GammaDelta77");
    resume().exits(1).says(&["max_iterations"]);
}

#[test]
fn a_command_cannot_change_in_the_place_of_a_secret() {
    let scenario = Scenario::new();
    let with = |value: &str| {
        scenario
            .manifest(&Manifest::new(&format!("true {value}"), "false").set("guardrails.max_iterations", 1));
    };
    let run = |args: &[&str]| {
        let mut command = scenario.loop_command(args);
        RunningCommand::new(command.env("MY_API_KEY", SECRET)).finish()
    };
    with(SECRET);
    run(&["run"]).exits(1);
    with("x; touch evil");
    run(&["resume", "--add-iterations", "1"]).exits(2).says(&["is not known as the secret"]);
    with(SECRET);
    run(&["resume", "--add-iterations", "1"]).exits(1);
    // Without the variable, nobody knows the secret any more.
    let refused = scenario.run(&["resume", "--add-iterations", "1"]).exits(2);
    hides(&refused.says(&["is not known as the secret"]));
    assert!(!scenario.has("evil"));
}

#[test]
fn a_value_is_no_code_after_an_open_bracket() {
    for check in [
        "echo a[ # ] {var.x}",
        "cat a[ <<EOF\n] {var.x}\nEOF",
        "((cat <<b))\n{var.x}\nb",
        "echo ${y#[} # ]} {var.x}",
    ] {
        let scenario = Scenario::new();
        let vars = serde_json::json!({ "x": "\ntouch evil\n$(touch evil)" });
        scenario.manifest(&Manifest::new("true", check).set("vars", vars));
        scenario.run(&["run"]).exits(2).says(&["cannot be used here"]);
        assert!(!scenario.has("evil"));
    }
}

#[test]
fn a_stored_file_that_never_ends_is_refused() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("seq 1 30000", "false").set("guardrails.max_iterations", 1);
    scenario.run_manifest(&manifest).exits(1);
    let runs = scenario.state().join("runs");
    let fifo = |path: &std::path::Path| {
        let made = Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
        assert!(made.success());
    };
    // The file of a run without a journal, as every command reads it.
    fifo(&runs.join("x.unkept"));
    scenario.run(&["runs"]).exits(0);
    let run =
        fs::read_dir(&runs).expect("runs").flatten().find(|it| it.path().is_dir()).expect("a run").path();
    let output =
        fs::read_dir(run.join("outputs")).expect("outputs").flatten().next().expect("an output").path();
    fs::remove_file(&output).expect("removed");
    fifo(&output);
    scenario.run(&["show"]).exits(0);
    scenario.run(&["show", "-i", "1", "--output"]).exits(2).says(&["is not a regular file any more"]);
    scenario.run(&["resume", "--add-iterations", "1"]).says(&["is not a regular file any more"]);
    let id = added(&scenario, &["10m look", "--agent", "true"]);
    fifo(&stored(&scenario.state(), "jobs.json").with_file_name("fires.jsonl"));
    schedule(&scenario, &["show", &id])
        .exits(2)
        .says(&["fires.jsonl cannot be read", "it is not a regular file"]);
}
