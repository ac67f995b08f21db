//! Manifests whose agent is a model: the same loop, journal and record as with a command.

use std::fs;

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, Manifest, RunningCommand, Scenario, shown, wait_until},
};

/// Returns a manifest whose agent is the server's model.
fn manifest(check: &str) -> Manifest {
    let prompt = "{iteration}: {goal}. You said: {prior_output}. The check said: {evaluator_output}";
    let agent = json!({ "model": "openai:scripted", "prompt": prompt });
    Manifest::new("-", check).set("agent", agent)
}

fn writes(path: &str, content: &str) -> Answer {
    let arguments = json!({ "path": path, "content": content }).to_string();
    Answer::calls([Call::new("c1", "write_file", [arguments.as_str()])])
}

fn run(server: &ModelServer, scenario: &Scenario, manifest: &Manifest) -> CommandResult {
    scenario.manifest(manifest);
    server.run(scenario, &["run", "loop.json"])
}

/// Returns the input of the model in this request: a single message.
fn sent_to_model(server: &ModelServer, request: usize) -> String {
    let body = &server.requests()[request].body;
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(1), "{body}");
    body["messages"][0]["content"].as_str().expect("text").to_owned()
}

#[test]
fn a_model_works_until_the_check_passes() {
    let server = ModelServer::new([
        Answer::deltas(["Nothing ", "yet."]).usage(100, 2),
        writes("done", "yes").usage(110, 20),
        Answer::deltas(["Done."]).usage(140, 3),
    ]);
    let scenario = Scenario::new();
    let ran = run(&server, &scenario, &manifest("echo looking; test -e done")).exits(0);
    shown("model_agent", &ran.stderr);
    assert_eq!(sent_to_model(&server, 0), "1: All is well. You said: . The check said: ");
    assert_eq!(
        sent_to_model(&server, 1),
        "2: All is well. You said: Nothing yet.. The check said: looking\n"
    );
    let record = scenario.record();
    assert_eq!(
        record["usage"],
        json!({ "input_tokens": 350, "cached_input_tokens": null, "output_tokens": 25 })
    );

    // Afterwards, `show` prints the stored output.
    assert_eq!(scenario.run(&["show", "-i", "1", "--output"]).exits(0).stdout, "Nothing yet.");
    assert_eq!(scenario.run(&["show", "-i", "2", "--prompt"]).exits(0).stdout, sent_to_model(&server, 1));
    let shown_json: Value =
        serde_json::from_str(&scenario.run(&["show", "--json"]).exits(0).stdout).expect("JSON");
    assert_eq!(shown_json["iterations"][1]["output_bytes"], 5);
    assert_eq!(shown_json["iterations"][1]["exit_code"], Value::Null);
    let page = scenario.run(&["show", "-i", "2"]).exits(0).stdout;
    assert!(page.contains("2 rounds, 1 tool call"), "{page}");
}

#[test]
fn the_tools_of_a_manifest_are_those_that_it_names() {
    let server = ModelServer::new([writes("done", "yes"), Answer::deltas(["I cannot."])]);
    let scenario = Scenario::new();
    let tools = manifest("test -e done").set("agent.tools", json!(["read_file", "git"]));
    run(&server, &scenario, &tools.set("guardrails.max_iterations", 1).set("agent.system", "Be brief."))
        .exits(1);
    let request = &server.requests()[0].body;
    let names: Vec<_> =
        request["tools"].as_array().expect("tools").iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["git", "read_file"]);
    assert_eq!(request["messages"][0]["content"], "Be brief.");
    assert!(server.requests()[1].body["messages"].to_string().contains("there is no tool `write_file`"));
    assert!(!scenario.has("done"));
}

#[test]
fn a_budget_cuts_a_turn_in_its_middle() {
    let rounds = [writes("half", "done").usage(400, 100), writes("more", "done").usage(400, 200)];
    let server = ModelServer::new(rounds.into_iter().chain([Answer::deltas(["Hm"]).stalls()]));
    let scenario = Scenario::new();
    let ran = run(&server, &scenario, &manifest("false").set("guardrails.max_tokens", 1000)).exits(1);
    ran.says(&["tokens_exceeded"]);
    assert!(scenario.has("half"));
    assert_eq!(scenario.record()["iterations"], 1);
}

#[test]
fn ctrl_c_cuts_a_turn() {
    let server = ModelServer::new([Answer::deltas(["Let me think"]).stalls()]);
    let scenario = Scenario::new();
    scenario.manifest(&manifest("false"));
    let started = RunningCommand::new(&mut server.command(&scenario, &["run", "loop.json"]));
    wait_until("the turn", || server.requests().len() == 1);
    started.signal(Signal::INT);
    started.finish().exits(130);
    assert_eq!(scenario.record()["stop_reason"], "cancelled");
}

#[test]
fn a_run_that_was_killed_goes_on_with_what_the_model_said_last() {
    let server = ModelServer::new([
        Answer::deltas(["First things first."]),
        Answer::deltas(["And then"]).stalls(),
        writes("done", "yes"),
        Answer::deltas(["Done."]),
    ]);
    let scenario = Scenario::new();
    scenario.manifest(&manifest("test -e done"));
    let started = RunningCommand::new(&mut server.command(&scenario, &["run", "loop.json"]));
    wait_until("the second turn", || server.requests().len() == 2);
    started.signal(Signal::KILL);
    started.killed();
    server.run(&scenario, &["resume"]).exits(0);
    let expected = "2: All is well. You said: First things first.. The check said: ";
    assert_eq!(
        (sent_to_model(&server, 1).as_str(), sent_to_model(&server, 2).as_str()),
        (expected, expected)
    );
}

#[test]
fn a_model_that_cannot_be_asked_is_an_error_before_anything_is_run() {
    let scenario = Scenario::new();
    scenario.manifest(&manifest("touch ran"));
    scenario.run(&["run", "loop.json"]).exits(2).says(&["agent.model", "set OPENAI_API_KEY"]);
    assert!(!scenario.has("ran") && scenario.records().is_empty());
    assert!(!fs::exists(scenario.state().join("runs")).expect("a folder"));
}

#[test]
fn a_key_that_is_refused_ends_the_run() {
    let server = ModelServer::new([Answer::status(401)]);
    let scenario = Scenario::new();
    run(&server, &scenario, &manifest("true")).exits(1).says(&["agent_unavailable", "check the API key"]);
}

#[test]
fn a_server_that_fails_in_a_turn_with_calls_fails_the_iteration_and_not_the_run() {
    let server = ModelServer::new([
        writes("half", "x"),
        Answer::status(500),
        writes("done", "yes"),
        Answer::deltas(["Done."]),
    ]);
    let scenario = Scenario::new();
    run(&server, &scenario, &manifest("test -e done")).exits(0);
    assert_eq!(scenario.record()["iterations"], 2);
}

#[test]
fn a_limit_on_the_cost_of_a_model_that_has_no_price_is_warned_of() {
    let server = ModelServer::new([Answer::deltas(["Done."])]);
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[models.mine]\nmodel = \"openai:scripted\"\n");
    let mine = manifest("true").set("agent.model", "mine").set("guardrails.max_cost_usd", 1);
    run(&server, &scenario, &mine)
        .exits(0)
        .says(&["the cost limit cannot be enforced", "has no price for `scripted`"]);
}

#[test]
fn check_and_a_dry_run_say_who_would_work() {
    let server = ModelServer::new([]);
    let scenario = Scenario::new();
    let plan = manifest("false").set("agent.tools", json!(["git", "read_file"]));
    scenario.manifest(&plan.set("agent.max_seconds", 60).set("guardrails.max_tokens", 1000));
    shown("model_agent_check", &scenario.run(&["check", "loop.json"]).exits(0).stdout);
    shown("model_agent_dry_run", &server.run(&scenario, &["run", "loop.json", "--dry-run"]).exits(0).stdout);
    assert!(server.requests().is_empty());
}

#[test]
fn what_belongs_to_commands_and_what_belongs_to_models_is_not_mixed() {
    for (manifest, expected) in [
        (manifest("true").set("agent.format", "pi-json"), "`agent.format` is for a command"),
        (
            manifest("true").set("agent.command", "x").set("agent.tools", json!([])),
            "`agent.tools` is for a model",
        ),
        (manifest("true").set("agent.tools", json!(["read"])), "did you mean `read_file`?"),
        (manifest("true").set("guardrails.max_cost_usd", 1), "has no price for its model, `scripted`"),
        (Manifest::new("-", "true").set("agent", json!({ "prompt": "{goal}" })), "or `model`: "),
    ] {
        let scenario = Scenario::new();
        scenario.manifest(&manifest);
        scenario.run(&["check", "loop.json"]).exits(2).says(&[expected]);
    }
}
