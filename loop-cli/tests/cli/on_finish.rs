//! The command that runs after a run.

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{FOREVER, Manifest, RunningCommand, Scenario};

/// The variables about the end of a run, in a file.
const NOTE: &str = "echo $LOOP_REASON $LOOP_EXIT_CODE ${LOOP_COST_USD-unknown} >> ended";

fn finishing(agent: &str, check: &str, command: &str) -> Manifest {
    Manifest::new(agent, check).set("on_finish", command)
}

#[test]
fn a_command_that_stops_the_loop_does_not_keep_it_from_its_end() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "true").set("on_finish", "kill -STOP $PPID; echo x > told");
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("told"), "x\n");
}

#[test]
fn every_ending_is_reported_to_it() {
    let scenario = Scenario::new();
    scenario.run_manifest(&finishing("true", "true", NOTE)).exits(0);
    scenario.run_manifest(&finishing("true", "false", NOTE)).exits(1);
    scenario.run_manifest(&finishing("no_such_program_anywhere || exit 127", "true", NOTE)).exits(1);
    let held = scenario.fifo("held");
    let agent = format!("exec 9> held; echo there >&9; {FOREVER}");
    let started = scenario.start_manifest(&finishing(&agent, "true", NOTE));
    held.line();
    started.signal(Signal::TERM);
    started.finish().exits(143);
    assert_eq!(
        scenario.read("ended"),
        "goal_met 0 unknown\nmax_iterations 1 unknown\nagent_unavailable 1 unknown\ncancelled 143 unknown\n"
    );
}

#[test]
fn it_runs_after_the_record_is_written_and_reads_it() {
    let scenario = Scenario::new();
    let usage = r#"echo '{"cost_usd": 0.25}' >> $LOOP_USAGE_FILE"#;
    let command = format!("{NOTE}; cat > record; grep -c $LOOP_RUN_ID $LOOP_HOME/telemetry.jsonl > written");
    let ran = scenario.run_manifest(&finishing(usage, "true", &command)).exits(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert_eq!(
        (scenario.read("written"), scenario.read("ended")),
        ("1\n".into(), "goal_met 0 0.25\n".into())
    );
    assert_eq!(serde_json::from_str::<Value>(&scenario.read("record")).expect("JSON"), scenario.record());
}

/// A run inside of another run has a cost of its own.
#[test]
fn an_unknown_cost_is_not_that_of_an_outer_run() {
    let scenario = Scenario::new();
    scenario.manifest(&finishing("true", "true", NOTE));
    let mut command = scenario.loop_command(&["run", "--json"]);
    let ran = RunningCommand::new(command.env("LOOP_COST_USD", "7")).finish().exits(0);
    assert_eq!(scenario.read("ended"), "goal_met 0 unknown\n");
    assert_eq!(ran.stdout.lines().count(), 1, "only the record: {}", ran.stdout);
}

#[test]
fn a_goal_that_was_met_before_the_first_iteration_cost_nothing() {
    let scenario = Scenario::new();
    let manifest = finishing("echo x > worked", "true", NOTE).set("check_first", true);
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("ended"), "goal_met 0 0.00\n");
    assert!(!scenario.has("worked"));
}

#[test]
fn its_failure_changes_neither_the_exit_code_nor_the_record() {
    let scenario = Scenario::new();
    let ran = scenario.run_manifest(&finishing("true", "true", "echo no mail server; exit 3")).exits(0);
    ran.says(&["warning: the command in `on_finish` exited with 3: no mail server"]);
    assert_eq!(scenario.record()["stop_reason"], "goal_met");
}

#[test]
fn it_cannot_resume_the_run() {
    let scenario = Scenario::new();
    let resume = format!("{} resume $LOOP_RUN_ID --add-iterations 1", env!("CARGO_BIN_EXE_loop"));
    let ran = scenario.run_manifest(&finishing("echo x >> worked", "false", &resume)).exits(1);
    ran.says(&["warning: the command in `on_finish` exited with 2", "loop tail"]);
    assert_eq!((scenario.records().len(), scenario.read("worked")), (1, "x\nx\nx\n".into()));
}

#[test]
fn it_runs_again_after_a_resume() {
    let scenario = Scenario::new();
    scenario.run_manifest(&finishing("echo x >> worked", "grep -c x worked | grep 4", NOTE)).exits(1);
    scenario.run(&["resume", "--add-iterations", "1"]).exits(0);
    assert_eq!(scenario.read("ended"), "max_iterations 1 unknown\ngoal_met 0 unknown\n");
}

#[test]
fn secrets_are_withheld_from_it_as_from_the_check() {
    let scenario = Scenario::new();
    for (pass, seen) in [(Value::Null, "none\n"), (Value::from(vec!["CHAT_TOKEN"]), "hunter2hunter2\n")] {
        let mut manifest = finishing("true", "true", "echo ${CHAT_TOKEN-none} > seen");
        if !pass.is_null() {
            manifest = manifest.set("agent.env.pass", pass);
        }
        scenario.manifest(&manifest);
        let mut command = scenario.loop_command(&["run"]);
        RunningCommand::new(command.env("CHAT_TOKEN", "hunter2hunter2")).finish().exits(0);
        assert_eq!(scenario.read("seen"), seen);
    }
}

#[test]
fn what_it_leaves_behind_is_ended() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let command = format!("exec 9> held; echo there >&9; setsid {FOREVER} > /dev/null 2>&1 &");
    let started = scenario.start_manifest(&finishing("true", "true", &command));
    held.line();
    started.finish().exits(0);
    held.released();
    assert_eq!(scenario.leftovers(), 0);
}

#[test]
fn a_signal_ends_it_and_the_result_stays() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let command = format!("exec 9> held; echo there >&9; {FOREVER}");
    let started = scenario.start_manifest(&finishing("true", "true", &command));
    held.line();
    started.signal(Signal::INT);
    started
        .finish()
        .exits(0)
        .says(&["warning: the command in `on_finish` was ended since it was asked to end"]);
    held.released();
    assert_eq!(scenario.record()["stop_reason"], "goal_met");
}

#[test]
fn a_flag_sets_it_and_check_describes_it() {
    let scenario = Scenario::new();
    scenario.manifest(&finishing("true", "true", "echo of the manifest > ended"));
    scenario.run(&["run", "--on-finish", "echo of the flag > ended"]).exits(0);
    assert_eq!(scenario.read("ended"), "of the flag\n");
    let checked = scenario.run(&["check", "--on-finish", "./no-such-file"]).exits(0);
    assert!(checked.stdout.contains("afterwards ./no-such-file\n"), "{}", checked.stdout);
    checked.says(&["the final step's command runs `./no-such-file`, which does not exist"]);
    scenario
        .run(&["check", "--on-finish", "REPLACE_ME"])
        .exits(1)
        .says(&["`--on-finish` is not filled in yet"]);
    scenario.run(&["check", "--on-finish", " "]).exits(2).says(&["`--on-finish` is empty"]);
}

#[test]
fn a_variable_is_one_quoted_word_in_it() {
    let scenario = Scenario::new();
    let manifest = finishing("true", "true", "echo {var.team} > ended").set("vars.team", "a; touch worked");
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("ended"), "a; touch worked\n");
    assert!(!scenario.has("worked"));
}
