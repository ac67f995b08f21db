//! `loop task`: one agent works, another reviews, and the loop ends when no work remains.

use std::fs;

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario, shown, wait_until},
};

/// A task in a chat template: a small program and its checks.
pub(crate) const TASK: &str = r#"
checks = ["sh hello.sh | grep -x 'hello kim'"]

[[chat.user]]
content = '''
Write hello.sh, which prints "hello" and a name: kim, if none is given.
'''
"#;

/// Returns the call of a tool.
pub(crate) fn calls(tool: &str, arguments: &Value) -> Answer {
    Answer::calls([Call::new("c1", tool, [arguments.to_string().as_str()])])
}

pub(crate) fn writes(path: &str, content: &str) -> Answer {
    calls("write_file", &json!({ "path": path, "content": content }))
}

pub(crate) fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

/// Makes the agent replace a file by this text, with a program that the user allows. The tools for files would refuse
/// to change a task.
pub(crate) fn replaces(scenario: &Scenario, path: &str, content: &str) -> Answer {
    scenario.write("../home/.config/loop/loop.toml", "[policy]\nallow = [\"cp\"]\n");
    scenario.write("other", content);
    calls("run_command", &json!({ "command": format!("cp other {path}") }))
}

/// Returns a reviewer that gives this verdict.
pub(crate) fn finds(pending: &[&str], blocker: &str) -> [Answer; 2] {
    let verdict = json!({ "pending": pending, "blocker": blocker, "summary": "I looked at it." });
    [calls("give_verdict", &verdict), says("Given.")]
}

/// Returns an executor that does nothing and reports that.
pub(crate) fn idles() -> Answer {
    says("I have looked around.\nSTATUS: INCOMPLETE\nNEXT STEPS:\n- write it\n")
}

pub(crate) const MODEL: [&str; 2] = ["--model", "openai:scripted"];

/// Runs `loop task` with the server's model.
pub(crate) fn run(server: &ModelServer, scenario: &Scenario, args: &[&str]) -> CommandResult {
    server.run(scenario, &[&["task"], args, &MODEL].concat())
}

/// Returns the prompt of the model in this request: the first user message.
pub(crate) fn sent_to_model(server: &ModelServer, request: usize) -> String {
    let body = &server.requests()[request].body;
    let messages = body["messages"].as_array().expect("messages");
    let user = messages.iter().find(|message| message["role"] == "user").expect("a prompt");
    user["content"].as_str().expect("text").to_owned()
}

pub(crate) fn json_of(ran: &CommandResult) -> Value {
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

pub(crate) fn read_toml(scenario: &Scenario, name: &str) -> toml::Table {
    toml::from_str(&scenario.read(&format!(".loop/task/{name}.toml"))).expect("TOML")
}

#[test]
fn without_a_name_an_ollama_that_answers_works_and_reviews() {
    let server =
        ModelServer::new([writes("hello.sh", "echo hello kim\n"), idles()].into_iter().chain(finds(&[], "")));
    let scenario = Scenario::new();
    scenario.write("task.toml", TASK);
    let mut command = scenario.loop_command(&["task", "task.toml"]);
    command.env("OLLAMA_HOST", server.url());
    RunningCommand::new(&mut command)
        .finish()
        .exits(0)
        .says(&["ollama:scripted works, ollama:scripted reviews"]);
}

#[test]
fn a_program_is_built_in_two_loops_though_the_run_is_killed_in_the_first_review() {
    let script = [
        vec![writes("hello.sh", "echo hello\n").usage(100, 10), idles().usage(120, 10)],
        vec![says("Let me see").stalls()],
        finds(&["print the name kim"], "").to_vec(),
        vec![writes("hello.sh", "echo \"hello ${1:-kim}\"\n"), idles()],
        finds(&[], "").to_vec(),
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("tasks/hello.toml", TASK);
    let task = [&["task", "tasks/hello.toml"][..], &MODEL].concat();
    let started = RunningCommand::new(&mut server.command(&scenario, &task));
    wait_until("the first review", || server.requests().len() == 3);
    assert_eq!(read_toml(&scenario, "state")["phase"].as_str(), Some("review"));
    started.signal(Signal::KILL);
    started.killed();

    let ran = server.run(&scenario, &["task", "tasks/hello.toml", "--resume", "--json"]).exits(0);
    shown("task_resumed", &ran.stderr);
    let outcome = json_of(&ran);
    assert_eq!((&outcome["status"], &outcome["reason"]), (&json!("nothing_pending"), &json!("goal_met")));
    assert_eq!((&outcome["loops"], &outcome["pending"]), (&json!(2), &json!([])));
    assert_eq!(outcome["files"]["written"], json!(["hello.sh"]));
    assert_eq!(outcome["usage"]["input_tokens"], 220);
    // The first loop was not repeated, but its review was.
    assert_eq!(server.requests().len(), 9);
    for review in [2, 3] {
        let told = sent_to_model(&server, review);
        assert!(told.contains("Files written: hello.sh\n") && told.contains("FAILS"), "{told}");
    }
    let second = sent_to_model(&server, 5);
    assert!(second.contains("- the check `sh hello.sh | grep -x 'hello kim'` fails"), "{second}");
    assert!(
        second.contains("- print the name kim") && second.contains("do not read the task or list"),
        "{second}"
    );
    assert_eq!(scenario.read("hello.sh"), "echo \"hello ${1:-kim}\"\n");
    let record = scenario.record();
    assert_eq!((&record["stop_reason"], &record["iterations"]), (&json!("goal_met"), &json!(2)));
    assert!(scenario.run(&["runs", "--json"]).exits(0).stdout.contains(r#""state":"goal_met""#));
    server.run(&scenario, &["task", "tasks/hello.toml", "--resume"]).exits(2).says(&["leave out `--resume`"]);
}

#[test]
fn a_run_that_is_killed_while_it_works_begins_that_loop_again() {
    let script = [vec![writes("half", "x"), says("And now").stalls()], vec![says("**STATUS: COMPLETE**")]];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let started =
        RunningCommand::new(&mut server.command(&scenario, &[&["task", "task.md"][..], &MODEL].concat()));
    wait_until("the second request", || server.requests().len() == 2);
    assert_eq!(read_toml(&scenario, "state")["phase"].as_str(), Some("execution"));
    started.signal(Signal::KILL);
    started.killed();
    let ran = server.run(&scenario, &["resume"]).exits(0);
    ran.says(&["working, started again", "complete after 1 iteration"]);
    assert!(
        sent_to_model(&server, 2).contains("started before and was cut off"),
        "{}",
        sent_to_model(&server, 2)
    );
}

#[test]
fn the_ends_differ() {
    let pending = || [vec![idles()], finds(&["tests", "docs"], "").to_vec()].concat();
    for (name, script, args, code, status) in [
        ("complete", vec![says("All done.\n**STATUS: COMPLETE**\n")], &[][..], 0, "complete"),
        ("nothing_pending", [vec![idles()], finds(&[], " ").to_vec()].concat(), &[], 0, "nothing_pending"),
        ("exhausted", [pending(), pending()].concat(), &["--max", "2"], 1, "exhausted"),
        ("blocked", [vec![idles()], finds(&[], "the database is down").to_vec()].concat(), &[], 1, "blocked"),
        ("error", vec![Answer::status(401)], &[], 3, "error"),
    ] {
        let server = ModelServer::new(script);
        let scenario = Scenario::new();
        scenario.write("task.md", "Do it.\n");
        let ran = run(&server, &scenario, &[&["task.md", "--json"], args].concat()).exits(code);
        shown(&format!("task_{name}"), &ran.stderr);
        let outcome = json_of(&ran);
        assert_eq!(outcome["status"], status, "{outcome}");
        assert_eq!(
            outcome["blocker"],
            if status == "blocked" { json!("the database is down") } else { json!(null) }
        );
        if status == "blocked" {
            assert_eq!(outcome["summary"], "I looked at it.");
            assert_eq!(read_toml(&scenario, "review_output")["summary"].as_str(), Some("I looked at it."));
        }
        if status == "exhausted" {
            assert_eq!(outcome["pending"], json!(["tests", "docs"]));
        }
        let state = read_toml(&scenario, "state");
        assert_eq!(state["phase"].as_str(), Some("done"), "{name}");
    }
}

#[test]
fn who_has_used_up_the_loops_goes_on_with_more() {
    let script = [
        vec![writes("a", ""), idles()],
        finds(&["b"], "").to_vec(),
        vec![writes("b", ""), idles()],
        finds(&[], "").to_vec(),
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md", "--max", "1"]).exits(1);
    let again = |args: &[&str]| server.run(&scenario, &[&["task", "task.md", "--resume"], args].concat());
    let more = ["the run has used up its iterations (1): `--resume --max 6` gives it five more"];
    again(&[]).exits(2).says(&more);
    again(&["--max", "1"]).exits(2).says(&more);
    // The settings from the beginning of the run stay.
    again(&["--model", "openai:other"]).exits(2).says(&["cannot be used with '--model"]);
    assert_eq!(server.requests().len(), 4);

    let ran =
        again(&["--max", "3", "--json"]).exits(0).says(&["up to 3 iterations", "[iteration 2/3] working"]);
    let outcome = json_of(&ran);
    assert_eq!((&outcome["status"], &outcome["loops"]), (&json!("nothing_pending"), &json!(2)));
    assert_eq!(outcome["files"]["written"], json!(["a", "b"]));
    assert!(sent_to_model(&server, 4).starts_with("This is loop 2 of 3."), "{}", sent_to_model(&server, 4));
    // The files for people cover the whole run, whichever process did it.
    assert_eq!(read_toml(&scenario, "run")["loops"].as_integer(), Some(3));
    assert_eq!(read_toml(&scenario, "review")["loop"].as_integer(), Some(2));
}

#[test]
fn a_run_that_goes_on_is_given_more_loops_and_not_fewer() {
    let script = [vec![idles()], finds(&["b"], "").to_vec(), vec![Answer::status(401)]];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md", "--max", "2"]).exits(3);
    let args = ["task", "task.md", "--resume", "--max", "1"];
    server.run(&scenario, &args).exits(2).says(&["already has 2 iterations in all"]);
    // The loop in which the model refused counts.
    let more = ModelServer::new([says("STATUS: COMPLETE")]);
    let ran = more.run(&scenario, &["task", "task.md", "--resume", "--max", "3"]).exits(0);
    ran.says(&["up to 3 iterations", "complete after 3 iterations"]);
}

#[test]
fn who_is_blocked_goes_on_with_a_review_when_that_is_mended() {
    let script =
        [vec![idles()], finds(&[], "the database is down").to_vec(), finds(&[], "").to_vec()].concat();
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md", "--max", "1"])
        .exits(1)
        .says(&["blocked after 1 iteration: the database is down"]);
    let ran = server.run(&scenario, &["task", "task.md", "--resume"]).exits(0);
    ran.says(&["nothing pending after 1 iteration"]);
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn what_is_going_on_stands_in_files() {
    let script = [
        vec![writes("a.txt", "a"), idles()],
        finds(&["b"], "no network").to_vec(),
        vec![calls("edit_file", &json!({ "path": "a.txt", "old": "a", "new": "b" })), idles()],
        finds(&[], "").to_vec(),
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md", "--log", "log.txt"]).exits(0);
    let (run, state) = (read_toml(&scenario, "run"), read_toml(&scenario, "state"));
    assert_eq!(run["loops_completed"].as_integer(), Some(2));
    assert_eq!(run["stop_reason"].as_str(), Some("goal_met"));
    assert_eq!(run["task_file"].as_str(), Some("task.md"));
    assert_eq!(run["run_id"], state["run_id"]);
    assert_eq!(state["loop"].as_integer(), Some(2));
    let execution = read_toml(&scenario, "execution");
    assert_eq!(execution["event"][0]["call"].as_str(), Some("edit_file"));
    let review = read_toml(&scenario, "review_output");
    assert_eq!((review["loop"].as_integer(), review["outcome"].as_str()), (Some(2), Some("pass")));
    // Git shows none of the files, and the log receives every message.
    assert_eq!(scenario.read(".loop/.gitignore"), "*\n");
    let log = scenario.read("log.txt");
    assert!(log.contains("[iteration 2/5] working") && log.contains("Files edited: a.txt"), "{log}");
    assert!(
        log.contains("I have looked around.") && log.contains("nothing pending after 2 iterations"),
        "{log}"
    );
}

#[test]
fn both_agents_have_their_rounds() {
    let read = || calls("list_files", &json!({}));
    // Two rounds for the worker, and at least six for the reviewer; then each must give its result.
    let script = [
        vec![read(), read(), idles()],
        vec![read(), read(), read(), read(), read(), read(), says("I have not found anything out.")],
        vec![says("STATUS: COMPLETE")],
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md", "--rounds", "2"])
        .exits(0)
        .says(&["inconclusive", "complete after 2 iterations"]);
    assert_eq!(server.requests().len(), 11);
    let second = sent_to_model(&server, 10);
    assert!(second.contains("in its own words. Nobody has checked them:\n- write it"), "{second}");
}

#[test]
fn a_reviewer_gets_other_tools_and_another_policy() {
    let script = [
        vec![idles()],
        vec![calls("run_command", &json!({ "command": "env touch done" }))],
        vec![writes("done", "")],
        finds(&[], "").to_vec(),
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "---\ntools:\n  bash: [touch, env]\n---\nDo it.\n");
    run(&server, &scenario, &["task.md"]).exits(0).says(&["additional programs: touch, env"]);
    assert!(!scenario.has("done"));
    let names = |request: usize| {
        let tools = server.requests()[request].body["tools"].clone();
        let name = |tool: &Value| tool["function"]["name"].as_str().expect("a name").to_owned();
        tools.as_array().expect("tools").iter().map(name).collect::<Vec<_>>()
    };
    assert!(names(0).contains(&"write_file".to_owned()) && !names(0).contains(&"give_verdict".to_owned()));
    let looking =
        ["file_tree", "git", "give_verdict", "list_files", "read_file", "run_command", "search_files"];
    assert_eq!(names(1), looking);
    let answers = server.requests()[3].body["messages"].to_string();
    assert!(
        answers.contains("`env` starts other programs") && answers.contains("there is no tool `write_file`"),
        "{answers}"
    );
}

#[test]
fn who_works_may_run_what_the_task_file_names() {
    let server = ModelServer::new([
        calls("run_command", &json!({ "command": "touch made" })),
        says("STATUS: COMPLETE"),
    ]);
    let scenario = Scenario::new();
    scenario.write("task.toml", "[tools]\nbash = ['touch']\n[[chat.user]]\ncontent = 'Touch made.'\n");
    run(&server, &scenario, &["task.toml"]).exits(0).says(&["done: 1 command run"]);
    assert!(scenario.has("made"));
}

#[test]
fn two_models_and_their_effort() {
    let server = ModelServer::new([vec![idles()], finds(&[], "").to_vec()].concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "---\nmodel: openai:writer\n---\nDo it.\n");
    let args = ["task", "task.md", "--review-model", "openai:critic", "--reasoning", "low"];
    server.run(&scenario, &args).exits(0).says(&["openai:writer works, openai:critic reviews"]);
    let asked: Vec<_> = server.requests().iter().map(|asked| asked.body["model"].clone()).collect();
    assert_eq!(asked, ["writer", "critic", "critic"]);
    assert!(server.requests().iter().all(|asked| asked.body["reasoning_effort"] == "low"));
}

#[test]
fn a_model_that_fails_three_times_is_an_error() {
    let server = ModelServer::new((0..3).map(|_| Answer::status(400)));
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--quiet", "--json"]).exits(3);
    assert_eq!(json_of(&ran)["reason"], "consecutive_failures");
    assert!(ran.stderr.contains("error: consecutive_failures"), "{}", ran.stderr);
}

#[test]
fn a_task_is_shown_as_other_runs_are() {
    let server = ModelServer::new([writes("a", ""), says("I did it.\nSTATUS: COMPLETE")]);
    let scenario = Scenario::new();
    scenario.write("fix.md", "Do it.\n");
    run(&server, &scenario, &["fix.md"]).exits(0);
    let page = scenario.run(&["show", "-i", "1"]).exits(0).stdout;
    assert!(page.contains("1 file written") && page.contains("pass"), "{page}");
    let output = scenario.run(&["show", "-i", "1", "--output"]).exits(0).stdout;
    assert_eq!(output, "I did it.\nSTATUS: COMPLETE");
    scenario.run(&["show", "-i", "1", "--prompt"]).exits(2).says(&["the prompts of a task are not stored"]);
    assert!(scenario.run(&["runs"]).exits(0).stdout.contains("fix"));
    let run = fs::read_dir(scenario.state().join("runs")).expect("runs").count();
    assert!(run > 0);
}

/// If nobody reported the usage of a review, its cost is unknown, so the cost of the run is a lower bound.
#[test]
fn a_cost_of_which_a_part_was_not_reported_is_a_lower_bound() {
    for (is_reported, is_lower_bound) in [(false, json!(true)), (true, Value::Null)] {
        let review = finds(&[], "").map(|answer| if is_reported { answer.usage(1000, 1) } else { answer });
        let server = ModelServer::new([idles().usage(1000, 1)].into_iter().chain(review));
        let scenario = Scenario::new();
        scenario.write("task.md", "Do it.\n");
        let ran = server.run(&scenario, &["task", "task.md", "--json", "--model", "openai:gpt-5"]).exits(0);
        let outcome = json_of(&ran);
        let record = scenario.record();
        assert_eq!(outcome["cost_state"], "estimated");
        assert!(outcome["estimated_cost_usd"].as_f64().is_some_and(|cost| cost > 0.0), "{outcome}");
        assert_eq!(
            (&outcome["cost_is_lower_bound"], &record["cost_is_lower_bound"]),
            (&is_lower_bound, &is_lower_bound)
        );
    }
}
