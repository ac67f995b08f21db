//! The prompt of an iteration, and its whole output.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::support::{Manifest, RunningCommand, Scenario};

fn id(scenario: &Scenario) -> String {
    scenario.records()[0]["run_id"].as_str().expect("an id").to_owned()
}

fn logs(scenario: &Scenario) -> PathBuf {
    scenario.state().join("runs").join(id(scenario)).join("logs")
}

fn log(scenario: &Scenario, name: &str) -> String {
    String::from_utf8(fs::read(logs(scenario).join(name)).expect("it is there")).expect("it is there")
}

#[test]
fn all_that_is_printed_is_kept_where_that_is_asked_for() {
    let scenario = Scenario::new();
    // More than a journal stores of the output.
    let agent = "echo oh >&2; head -c 5000000 /dev/zero | tr '\\0' x; echo end";
    scenario.manifest(&Manifest::new(agent, "echo checked; false").set("guardrails.max_iterations", 1));
    scenario.run(&["run", "--keep-output"]).exits(1).says(&["/logs"]);
    let whole = log(&scenario, "agent-1.log");
    assert_eq!(whole.len(), "oh\n".len() + 5_000_000 + "end\n".len());
    assert!(whole.contains("oh\n") && whole.contains("xend\n"));
    assert_eq!(log(&scenario, "check-1.log"), "checked\n");
    let page = scenario.run(&["show", "-i", "1"]).exits(0).stdout;
    assert!(page.contains("agent-1.log") && page.contains("check-1.log"), "{page}");
    // A resumed run gets a new prompt.
    scenario.run(&["resume", &id(&scenario), "--add-iterations", "1"]).exits(1);
    assert!(!logs(&scenario).join("agent-2.log").exists());
    scenario.run(&["resume", &id(&scenario), "--add-iterations", "1", "--keep-output"]).exits(1);
    assert_eq!(log(&scenario, "check-3.log"), "checked\n");
    scenario.run(&["run", "--keep-output", "--no-journal"]).exits(2).says(&["--no-journal"]);
}

#[test]
fn what_is_printed_for_programs_is_kept_as_it_was_printed() {
    let scenario = Scenario::new();
    let line = r#"{"type":"result","result":"done","total_cost_usd":0.1,"is_error":false}"#;
    let manifest = Manifest::new(&format!("echo '{line}'"), "true").set("agent.format", "claude-stream-json");
    scenario.manifest(&manifest);
    scenario.run(&["run", "--keep-output"]).exits(0);
    assert_eq!(log(&scenario, "agent-1.log"), format!("{line}\n"));
}

#[test]
fn secrets_are_taken_out_of_it_wherever_they_are_cut() {
    let scenario = Scenario::new();
    // The first read ends in the middle of the secret.
    let agent = "head -c 65530 /dev/zero | tr '\\0' x; printf %s \"$MY_TOKEN\"; echo end";
    let manifest = Manifest::new(agent, "true").set("agent.env", json!({ "pass": ["MY_TOKEN"] }));
    scenario.manifest(&manifest);
    let mut run = scenario.loop_command(&["run", "--keep-output", "--show-output"]);
    let ran = RunningCommand::new(run.env("MY_TOKEN", "hunter2-hunter2")).finish().exits(0);
    let kept = log(&scenario, "agent-1.log");
    assert!(kept.ends_with("x[redacted]end\n") && !kept.contains("hunter2"), "{}", &kept[65_000..]);
    assert!(!ran.stderr.contains("hunter2-hunter2"));
}

#[test]
fn a_disk_that_is_full_is_said_and_the_run_goes_on() {
    let scenario = Scenario::new();
    let agent = "head -c 100000 /dev/zero | tr '\\0' x";
    scenario.manifest(&Manifest::new(agent, "[ $LOOP_ITERATION = 2 ]"));
    let script = r#"trap '' XFSZ; ulimit -f 128; exec "$0" run --keep-output"#;
    let mut full = scenario.command("sh", &["-c", script, env!("CARGO_BIN_EXE_loop")]);
    let ran = RunningCommand::new(&mut full).finish();
    // The journal also fails on this full disk; the report of it is what matters.
    assert!(ran.stderr.contains("some output was not stored"), "{}", ran.stderr);
    assert!(ran.stderr.contains("agent-1.log cannot be written"), "{}", ran.stderr);
}

#[test]
fn an_iteration_is_shown_with_the_prompt_that_it_was_given() {
    let scenario = Scenario::new();
    let prompt = "{iteration}: {goal}. {prior_output}|{evaluator_output}|{agent_exit_code}|{guidance}|{budget_usd_left}";
    let agent = "cat > prompt-$LOOP_ITERATION; echo said $LOOP_ITERATION; \
                 echo '{\"cost_usd\": 0.25}' >> \"$LOOP_USAGE_FILE\"; exit $LOOP_ITERATION";
    let manifest = Manifest::new(agent, "echo checked $LOOP_ITERATION; false").set("agent.prompt", prompt);
    scenario.manifest(&manifest.set("guardrails.max_cost_usd", 9).set("guardrails.max_iterations", 2));
    scenario.run(&["run"]).exits(1);
    scenario.run(&["resume", &id(&scenario), "--add-iterations", "2", "--note", "not the tests"]).exits(1);
    for iteration in 1..=4 {
        let shown = scenario.run(&["show", "-i", &iteration.to_string(), "--prompt"]).exits(0).stdout;
        assert_eq!(shown, scenario.read(&format!("prompt-{iteration}")), "{iteration}");
    }
    assert!(scenario.read("prompt-3").contains("said 2"), "{}", scenario.read("prompt-3"));
    assert!(scenario.read("prompt-3").contains("|2|not the tests|8.50"), "{}", scenario.read("prompt-3"));
    scenario.run(&["show", "-i", "5", "--prompt"]).exits(2).says(&["no iteration 5"]);
    scenario.manifest(&Manifest::new(agent, "true"));
    scenario.run(&["show", "-i", "1", "--prompt"]).exits(0).says(&["has changed since the run began"]);
    // A file that is no manifest any more has changed as well.
    scenario.write("loop.json", "{");
    scenario.run(&["show", "-i", "1", "--prompt"]).exits(0).says(&["has changed since the run began"]);
    scenario.write("loop.json", "");
    scenario.run(&["show", "-i", "1", "--prompt"]).exits(0).says(&["has changed since the run began"]);
}

#[test]
fn secrets_are_in_nothing_that_is_printed() {
    let scenario = Scenario::new();
    // Texts other than output: the goal, the name of the loop and of its file.
    let manifest =
        Manifest::new("true", "true").set("goal", "use hunter2-hunter2").set("agent.prompt", "{goal}");
    scenario.write("hunter2-hunter2.json", serde_json::to_string(&manifest.0).unwrap());
    let loop_with = |args: &[&str]| {
        let mut command = scenario.loop_command(args);
        RunningCommand::new(command.env("MY_TOKEN", "hunter2-hunter2")).finish().exits(0)
    };
    let tried = loop_with(&["run", "hunter2-hunter2.json", "--dry-run"]);
    assert!(tried.stdout.contains("use [redacted]"), "{}", tried.stdout);
    let ran = loop_with(&["run", "hunter2-hunter2.json", "--json"]);
    let shown = loop_with(&["show"]);
    for text in [&tried.stdout, &tried.stderr, &ran.stdout, &ran.stderr, &shown.stdout] {
        assert!(!text.contains("hunter2-hunter2"), "{text}");
    }
    let records = fs::read_to_string(scenario.state().join("telemetry.jsonl")).unwrap();
    assert!(records.contains("[redacted]") && !records.contains("hunter2-hunter2"), "{records}");
}
