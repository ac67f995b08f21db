//! Observed behaviour of a similar program, where it was right. Each case keeps its name from there. The comments
//! explain the differences, and their reasons.

use loop_testing::Answer;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::Scenario,
    task::{calls, finds, idles, json_of, run, says, sent_to_model, writes},
};

/// Returns the case with this name, for cases that the test can read as they are.
fn case(id: &str) -> serde_json::Value {
    let data = include_str!("../../../loop-agents/tests/review/task_loop.json");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let cases = data["cases"].as_array().expect("cases").iter();
    cases.clone().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}")).clone()
}

/// `cs-task-bad`: errors in a task file are reported before anything runs. There, a task in Markdown is not accepted.
#[test]
fn task_files_that_are_wrong() {
    let given = case("cs-task-bad")["given"].clone();
    for (name, text) in given.as_object().expect("texts") {
        let said = match name.as_str() {
            "nochat" => "unknown field `a`",
            "dq" => "put it between three single quotes",
            "args" => "`rm -rf` under `tools` is not the name of a program",
            "ends_asst" => "the chat ends with an assistant's message",
            "two_user" => "messages 1 and 2 of the chat are both from the user",
            "starts_asst" => "the chat begins with an assistant's message",
            _ => continue,
        };
        let (server, scenario) = (ModelServer::new([]), Scenario::new());
        scenario.write("task.toml", text.as_str().expect("a text"));
        run(&server, &scenario, &["task.toml"]).exits(2).says(&["task.toml", said]);
        assert!(scenario.records().is_empty() && !scenario.has(".loop"), "{name}");
    }
    let (server, scenario) = (ModelServer::new([says("STATUS: COMPLETE")]), Scenario::new());
    scenario.write("task.md", given["md"].as_str().expect("a text"));
    run(&server, &scenario, &["task.md"]).exits(0);
}

/// `cs-outside`: a task file must be in the work folder. The hostile tests cover links that lead outside.
#[test]
fn a_task_outside() {
    let (server, scenario) = (ModelServer::new([]), Scenario::new());
    let case = case("cs-outside");
    let path = case["given"]["task"].as_str().expect("a path");
    run(&server, &scenario, &[path]).exits(2).says(&[path, "outside"]);
}

/// `cs-e2e-stale-review`: there, the verdict that an earlier run left in a file ends this run as done.
#[test]
fn a_verdict_of_an_earlier_run() {
    let server = ModelServer::new([idles(), says("Hm."), idles(), says("Hm."), idles(), says("Hm.")]);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario.write(".loop/task/review_output.toml", "pending = []\nblocker = ''\n");
    let loops = case("cs-e2e-stale-review")["given"]["agent_loops"].to_string();
    let outcome = json_of(&run(&server, &scenario, &["task.md", "--max", &loops, "--json"]).exits(1));
    assert_eq!((&outcome["status"], &outcome["loops"]), (&json!("no_verdict"), &json!(3)));
}

/// Runs a task with this script. Returns the printed JSON, and the number of requests to the model.
fn ended(script: Vec<Answer>, loops: &str, code: i32) -> (serde_json::Value, usize) {
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--max", loops, "--json"]).exits(code);
    (json_of(&ran), server.requests().len())
}

/// `cs-e2e-complete`: the review is skipped. There, the phase stays `execution`; here it becomes `done`.
#[test]
fn complete_at_once() {
    let (outcome, asked) = ended(vec![says("STATUS: COMPLETE").usage(100, 10)], "3", 0);
    assert_eq!((&outcome["status"], &outcome["loops"], asked), (&json!("complete"), &json!(1), 1));
    assert_eq!(outcome["usage"]["input_tokens"], 100);
}

/// `cs-e2e-exhaust`: there, the text and the exit code report success. Here they do not.
#[test]
fn a_reviewer_that_says_nothing_until_all_loops_are_used_up() {
    let (outcome, asked) = ended(vec![idles(), says("Hm."), idles(), says("Hm.")], "2", 1);
    assert_eq!((&outcome["status"], &outcome["loops"], asked), (&json!("exhausted"), &json!(2), 4));
}

/// `cs-e2e-review-stop`: an empty list ends the loop, although the worker reports `INCOMPLETE`.
#[test]
fn a_clean_review() {
    let (outcome, asked) = ended([vec![idles()], finds(&[], "").to_vec()].concat(), "3", 0);
    assert_eq!((&outcome["status"], &outcome["loops"], asked), (&json!("nothing_pending"), &json!(1), 3));
}

/// `cs-e2e-skip-calls`: twelve calls in one reply. There, some are skipped; here each one runs and gets one answer.
#[test]
fn many_calls_in_one_reply() {
    let read = |id: u32| {
        let id = format!("c{id}");
        loop_testing::Call::new(&id, "read_file", [r#"{"path":"task.md"}"#])
    };
    let script = vec![Answer::calls((0..12).map(read)), says("STATUS: COMPLETE")];
    let (outcome, asked) = ended(script, "3", 0);
    assert_eq!((&outcome["status"], &outcome["loops"], asked), (&json!("complete"), &json!(1), 2));
}

/// `cs-review-apply`: the effects of a verdict. There, a missing or invalid list keeps the old items or clears them,
/// and a blocker of one space blocks. Here an unreadable verdict does not count, and such a blocker does not block.
#[test]
fn what_a_verdict_does() {
    for (verdict, status, pending) in [
        (json!({ "pending": ["a"], "blocker": "", "summary": "" }), "exhausted", vec!["a"]),
        (json!({ "pending": [], "blocker": "", "summary": "" }), "nothing_pending", vec![]),
        (json!({ "blocker": "", "summary": "" }), "exhausted", vec![]),
        (json!({ "pending": [], "blocker": "db down", "summary": "" }), "blocked", vec![]),
        (json!({ "pending": "do x", "blocker": "", "summary": "" }), "exhausted", vec![]),
        (json!({ "pending": ["", "str"], "blocker": "", "summary": "" }), "exhausted", vec!["str"]),
        (json!({ "pending": [], "blocker": " ", "summary": "" }), "nothing_pending", vec![]),
    ] {
        let code = i32::from(status != "nothing_pending");
        let (outcome, _) = ended(vec![idles(), calls("give_verdict", &verdict), says("Given.")], "1", code);
        assert_eq!((&outcome["status"], &outcome["pending"]), (&json!(status), &json!(pending)), "{verdict}");
    }
}

/// `cs-context-third`: the files of all earlier loops, each once; the commands and errors of the last loop only; at
/// most five items.
#[test]
fn what_the_third_loop_is_told() {
    let pending = ["p1", "p2", "p3", "p4", "p5", "p6"];
    let script = [
        vec![
            writes("a.py", ""),
            writes("b.py", ""),
            calls("run_command", &json!({ "command": "ls" })),
            idles(),
        ],
        finds(&pending, "").to_vec(),
        vec![
            writes("d.py", ""),
            writes("a.py", ""),
            calls("run_command", &json!({ "command": "grep x a.py" })),
            idles(),
        ],
        finds(&pending, "").to_vec(),
        vec![says("STATUS: COMPLETE")],
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md"]).exits(0);
    let third = sent_to_model(&server, 12);
    assert!(third.starts_with("This is loop 3 of 5."), "{third}");
    assert!(third.contains("Files written: a.py, b.py, d.py\n"), "{third}");
    assert!(third.contains("  grep x a.py (exit 1)\n") && !third.contains("  ls (exit"), "{third}");
    assert!(third.contains("- p5\n") && !third.contains("p6"), "{third}");
}

/// `cs-state-init`, `cs-paths`: which files are written, and where.
#[test]
fn what_is_written_down() {
    let server = ModelServer::new([vec![idles()], finds(&[], "").to_vec()].concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    run(&server, &scenario, &["task.md"]).exits(0);
    for name in ["run", "state", "execution", "review_output", "review"] {
        assert!(scenario.has(&format!(".loop/task/{name}.toml")), "{name}");
    }
    let state: toml::Table = toml::from_str(&scenario.read(".loop/task/state.toml")).expect("TOML");
    let keys: Vec<_> = state.keys().map(String::as_str).collect();
    assert_eq!(keys, ["loop", "phase", "run_id", "task_file", "updated_at", "workdir"]);
}
