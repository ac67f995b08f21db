//! `loop assay`: what counts as passed, failed and not made, also after an assay was cut.

use serde_json::{Value, json};

use loop_testing::{Answer, Gate};
use rustix::process::Signal;

use crate::{
    assay::{ASSAY, results, scenario, why},
    model_server::ModelServer,
    support::{Manifest, RunningCommand, Scenario, wait_until},
    task::says,
};

const HELLO: &str = "prompt: Hi.\nchecks: [contains: hello]\n";

/// Assays the cases with this agent, and returns the result of the only one.
fn assay(scenario: &Scenario, agent: &str, more: &[&str], code: i32) -> Value {
    let args = [&["assay", "cases", "--json", "--agent", agent], more].concat();
    results(&scenario.run(&args).exits(code)).remove(0)
}

#[test]
fn a_check_that_cannot_run_or_hangs_fails_because_the_model_may_have_written_it() {
    for (check, agent, why) in [
        ("./hello.sh", "true #", "127"),
        ("./hello.sh", "touch hello.sh #", "126"),
        ("sleep 1000", "true #", "it was ended after"),
    ] {
        let scenario = scenario(&format!("prompt: Write it.\nchecks: [command: {check}]\n"));
        let found = assay(&scenario, agent, &["--check-time", "0.5s"], 1);
        assert_eq!((&found["failed"], &found["not_made"]), (&json!(1), &json!(0)), "{found}");
        assert!(found["notes"][0]["why"].to_string().contains(why), "{found}");
    }
}

#[test]
fn a_loop_whose_model_is_unavailable_is_not_made_and_the_reason_is_shown() {
    let scenario = scenario("manifest: loops/fix.json\n");
    let manifest = json!({
        "goal": "Fix it",
        "agent": { "model": "openai:scripted" },
        "evaluator": { "command": "false" },
        "guardrails": { "max_iterations": 2 },
    });
    scenario.write("cases/loops/fix.json", manifest.to_string());
    let server = ModelServer::new([Answer::status(400), Answer::status(400)]);
    let ran = server.run(&scenario, &["assay", "cases", "--json"]).exits(3);
    let found = results(&ran);
    assert_eq!((&found[0]["failed"], &found[0]["not_made"]), (&json!(0), &json!(1)), "{}", ran.stdout);
    assert!(why(&ran).contains("400"), "{}", ran.stdout);
}

#[test]
fn an_assay_killed_between_any_two_events_ends_as_if_nothing_had_happened() {
    [true, false].into_iter().for_each(killed_at_each_event);
}

fn killed_at_each_event(is_prompt: bool) {
    let check = "test $(wc -l < state) -ge 3";
    let scenario = || {
        let scenario = Scenario::new();
        let agent = format!("echo x >> state; echo $$ >> '{}'", scenario.path("attempts").display());
        let case = match is_prompt {
            true => "prompt: Hi.\nfolder: start\nchecks: [command: test $(wc -l < state) = 2]\n",
            false => "manifest: loops/fix.json\nfolder: start\n",
        };
        scenario.write("cases/greet.yaml", case);
        scenario.write("cases/loops/fix.json", Manifest::new(&agent, check).0.to_string());
        scenario.write("cases/start/state", "broken\n");
        scenario
    };
    let assay = |scenario: &Scenario, kill: Option<u32>| {
        let agent = format!("echo x >> state; echo $$ >> '{}' #", scenario.path("attempts").display());
        let agent = ["--agent", &agent];
        let agent = if is_prompt { &agent[..] } else { &[] };
        let args = [&["assay", "cases", "--runs", "2", "--json"], agent].concat();
        let mut command = scenario.loop_command(&args);
        if let Some(event) = kill {
            command.env("LOOP_TEST_KILL_AT", format!("assay_event:{event}"));
        }
        command.output().expect("it runs")
    };
    for event in 1.. {
        let scenario = scenario();
        if assay(&scenario, Some(event)).status.success() {
            assert!(event > 10, "only {event} events");
            break;
        }
        let resumed = assay(&scenario, None);
        assert!(resumed.status.success(), "event {event}: {resumed:?}");
        let result: Value = serde_json::from_slice(&resumed.stdout).expect("JSON");
        assert_eq!(result["passed"], 2, "event {event}: {result}");
        // The run that was cut begins anew, in a fresh copy, and only its last attempt counts.
        let iterations = if is_prompt { 1.0 } else { 2.0 };
        assert_eq!(result["iterations"], json!({ "median": iterations, "p90": iterations }), "event {event}");
        let attempts = scenario.read("attempts").lines().count();
        let most = if is_prompt { 3 } else { 6 };
        assert!(
            (most - 1..=most).contains(&attempts) || attempts == most - 2,
            "{attempts} after event {event}"
        );
    }
}

#[test]
fn the_place_for_the_page_is_tried_before_anything_is_paid() {
    let scenario = scenario(HELLO);
    let server = ModelServer::new([]);
    server.run(&scenario, &[ASSAY, &["--html", "nowhere/x.html"]].concat()).exits(2).says(&["cannot write"]);
    let over_case = server.run(&scenario, &[ASSAY, &["--html", "cases/greet.yaml"]].concat()).exits(2);
    over_case.says(&["is not the page of an assay"]);
    assert_eq!(scenario.read("cases/greet.yaml"), HELLO);
    assert!(server.requests().is_empty());
}

#[test]
fn a_run_above_its_share_fails_and_an_agent_without_costs_is_named_once() {
    let spends = "echo '{\"cost_usd\": 3}' >> \"$LOOP_USAGE_FILE\"; echo hello #";
    let found = assay(&scenario(HELLO), spends, &["--budget", "4", "--runs", "2"], 1);
    assert!(found["notes"][0]["why"].to_string().contains("budget"), "{found}");
    assert_eq!(found["passed"], 0, "{found}");
    let args = ["assay", "cases", "--agent", "echo hello #", "--budget", "4", "--runs", "3"];
    let ran = scenario(HELLO).run(&args).exits(0);
    assert_eq!(ran.stderr.matches("reports no cost").count(), 1, "{}", ran.stderr);
}

#[test]
fn an_assay_under_a_budget_ends_if_a_server_reports_no_cost() {
    let scenario = scenario(HELLO);
    let server = ModelServer::new((0..7).map(|_| Answer::deltas(["hello"])));
    let args = [ASSAY, &["--runs", "7", "--budget", "1"]].concat();
    server.run(&scenario, &args).exits(3).says(&["did not report a cost", "the assay was halted"]);
    assert_eq!(server.requests().len(), 3);
    server.run(&scenario, &args).exits(3).says(&["did not report a cost"]);
    assert_eq!(server.requests().len(), 3, "an assay that continues knows the runs before it");
    // Another subject, which has no costs, and runs at the same time do not hide it.
    let server = ModelServer::new((0..20).map(|_| Answer::deltas(["hello"])));
    let more = ["--runs", "9", "--budget", "1", "--jobs", "2", "--agent", "echo hello #"];
    server.run(&scenario, &[ASSAY, &more].concat()).exits(3).says(&["did not report a cost"]);
    assert!((3..=4).contains(&server.requests().len()), "{}", server.requests().len());
}

#[test]
fn an_assay_continues_with_a_higher_budget() {
    let scenario = scenario(HELLO);
    let attempts = scenario.path("attempts");
    let agent = format!(
        "echo x >> '{}'; echo '{{\"cost_usd\": 3}}' >> \"$LOOP_USAGE_FILE\"; echo hello #",
        attempts.display()
    );
    let found = assay(&scenario, &agent, &["--budget", "4", "--runs", "2"], 1);
    assert_eq!(found["not_made"], 1, "{found}");
    let found = assay(&scenario, &agent, &["--budget", "20", "--runs", "2"], 1);
    assert_eq!((&found["passed"], &found["failed"]), (&json!(1), &json!(1)), "{found}");
    assert_eq!(scenario.read("attempts").lines().count(), 3);
}

#[test]
fn names_with_secrets_are_redacted_in_all_results() {
    let scenario = Scenario::new();
    let secret = format!("sk-proj-{}", "aB3dE5fG7h".repeat(5));
    scenario.write(&format!("cases/{secret}.yaml"), HELLO);
    let ran =
        scenario.run(&["assay", "cases", "--json", "--agent", &format!("echo hello {secret} #")]).exits(0);
    assert!(!ran.stdout.contains("aB3dE5fG7h") && ran.stdout.contains("[redacted"), "{}", ran.stdout);
}

#[test]
fn a_reply_that_checks_cannot_read_completely_fails() {
    let long = "echo SECRET; head -c 1100000 /dev/zero | tr '\\0' a #";
    let found = assay(&scenario("prompt: Hi.\nchecks: [not_contains: SECRET]\n"), long, &[], 1);
    assert_eq!(found["notes"][0]["why"], "the reply is longer than 1 MiB, which checks can read");
}

#[test]
fn an_assay_whose_start_folder_changed_begins_anew() {
    let scenario = scenario(&format!("{HELLO}folder: start\n"));
    scenario.write("cases/start/state", "good\n");
    let gate = Gate::new();
    let held = Answer::deltas(["hel", "lo"]).gated(&gate);
    let server = ModelServer::new([says("hello"), held, says("no"), says("no")]);
    let args = [ASSAY, &["--runs", "2", "--json"]].concat();
    let running = RunningCommand::new(&mut server.command(&scenario, &args));
    wait_until("the second request", || server.requests().len() == 2);
    running.signal(Signal::INT);
    running.finish().exits(130);
    scenario.write("cases/start/state", "worse\n");
    let ran = server.run(&scenario, &args).exits(1);
    assert_eq!(results(&ran)[0]["failed"], 2, "{}", ran.stdout);
}

#[test]
fn a_baseline_that_cannot_be_compared_is_refused_or_reported() {
    let scenario = scenario(HELLO);
    let result = assay(&scenario, "echo hello #", &[], 0).to_string();
    let args = ["assay", "cases", "--agent", "echo hello #", "--baseline"];
    let compared = |file: &str| scenario.run(&[&args[..], &[file]].concat());
    scenario.write("before.jsonl", result.replace("\"passed\":1", "\"passed\":18446744073709551615"));
    compared("before.jsonl").exits(2).says(&["before.jsonl:1", "its counts do not add up"]);
    compared("/dev/zero").exits(2).says(&["it is not a file"]);
    scenario.write("before.jsonl", "");
    compared("before.jsonl").exits(0).says(&["1 of 1 results have nothing to compare with"]);
}

#[test]
fn numbers_and_names_that_cannot_work_are_refused() {
    let scenario = scenario(HELLO);
    scenario.write("cases/.hidden.yaml", "no case");
    for (args, why) in [
        (&["--runs", "18446744073709551615"][..], "--runs"),
        (&["--runs", "1000000000"], "100000"),
        (&["--model", "openai:scripted"], "`--model openai:scripted` is given twice"),
    ] {
        ModelServer::new([]).run(&scenario, &[ASSAY, args].concat()).exits(2).says(&[why]);
    }
    assert_eq!(assay(&scenario, "echo hello #", &[], 0)["passed"], 1);
    scenario.write("cases/a\nb.yaml", HELLO);
    scenario
        .write("cases/c.json", "{\"prompt\": \"a\", \"prompt\": \"b\", \"checks\": [{\"contains\": \"x\"}]}");
    let ran = scenario.run(&["assay", "cases", "--agent", "true"]).exits(2);
    ran.says(&["has a line break", "c.json: the key `prompt` appears twice"]);
}
