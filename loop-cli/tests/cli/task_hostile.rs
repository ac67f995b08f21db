//! `loop task` against agents and files that try to get more than they were given.

use std::{fs, os::unix::fs::symlink};

use loop_testing::Answer;
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::Scenario,
    task::{TASK, calls, finds, idles, json_of, replaces, run, says, sent_to_model, writes},
};

const CLEAN: &str = "run_id = 'x'\nloop = 1\noutcome = 'pass'\npending = []\nblocker = ''\nsummary = ''\n";

#[test]
fn a_verdict_that_was_left_over_is_nobodys() {
    let script = [idles(), says("I say nothing."), idles(), says("I say nothing.")];
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    for name in ["review_output", "review", "execution"] {
        scenario.write(&format!(".loop/task/{name}.toml"), CLEAN);
    }
    let ran = run(&server, &scenario, &["task.md", "--max", "2", "--json"]).exits(1);
    assert_eq!(json_of(&ran)["status"], "exhausted");
    assert!(!scenario.read(".loop/task/review_output.toml").contains("'pass'"));
}

#[test]
fn a_verdict_file_that_is_broken_or_in_the_way_changes_nothing() {
    let server = ModelServer::new([vec![idles()], finds(&[], "").to_vec()].concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario.write(".loop/task/review_output.toml/in-the-way", "");
    scenario.write(".loop/task/state.toml", "= broken [");
    run(&server, &scenario, &["task.md"]).exits(0).says(&["cannot write the files for you in .loop/task"]);
}

#[test]
fn a_reviewer_has_no_tool_that_the_settings_leave_out() {
    let server = ModelServer::new([vec![idles()], finds(&[], "").to_vec()].concat());
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario.write("../home/.config/loop/loop.toml", "[chat]\ntools = [\"read_file\", \"write_file\"]\n");
    run(&server, &scenario, &["task.md"]).exits(0);
    let names = |request: usize| server.requests()[request].body["tools"].to_string();
    assert!(names(0).contains("write_file"), "{}", names(0));
    assert!(names(1).contains("read_file") && names(1).contains("give_verdict"), "{}", names(1));
    assert!(!names(1).contains("write_file") && !names(1).contains("run_command"), "{}", names(1));
}

#[test]
fn who_works_cannot_write_the_verdict() {
    let script = [
        writes(".loop/task/review_output.toml", CLEAN),
        calls("give_verdict", &json!({ "pending": [], "blocker": "", "summary": "I am done." })),
        idles(),
        says("I say nothing."),
    ];
    let server = ModelServer::new(script);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--max", "1", "--json"]).exits(1);
    assert_eq!(json_of(&ran)["status"], "exhausted");
    let answers = server.requests()[2].body["messages"].to_string();
    assert!(
        answers.contains("holds the user's settings") && answers.contains("there is no tool `give_verdict`"),
        "{answers}"
    );
    assert!(sent_to_model(&server, 3).contains("NOT done"), "{}", sent_to_model(&server, 3));
}

#[test]
fn a_command_that_writes_the_verdict_writes_a_file() {
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    scenario.write("verdict", CLEAN);
    let agent = "mkdir -p .loop/task; cp verdict .loop/task/review_output.toml; \
        echo '{\"review\": \"0\", \"pending\": [], \"blocker\": \"\"}'";
    let args = [
        "task",
        "task.md",
        "--agent",
        agent,
        "--review-agent",
        "cat .loop/task/review_output.toml",
        "--json",
    ];
    let ran = scenario.run(&[&args[..], &["--max", "2"]].concat()).exits(1);
    assert_eq!(json_of(&ran)["status"], "exhausted");
}

#[test]
fn who_works_cannot_give_itself_tools_by_the_task_file() {
    let widened = "---\ntools:\n  bash: [touch]\nchecks: ['true']\n---\nDo less.\n";
    let scenario = Scenario::new();
    let script = [
        vec![
            replaces(&scenario, "task.md", widened),
            calls("run_command", &json!({ "command": "touch made" })),
            idles(),
        ],
        finds(&["x"], "").to_vec(),
        vec![calls("run_command", &json!({ "command": "touch made" })), idles()],
        finds(&["x"], "").to_vec(),
    ];
    let server = ModelServer::new(script.concat());
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--max", "2"]).exits(1);
    let ran = ran.says(&["the tools or checks in the task file have changed since the run began"]);
    assert_eq!(ran.stderr.matches("the tools or checks in the task file").count(), 1, "{}", ran.stderr);
    assert!(!scenario.has("made"));
    // The current text counts, because a person may have changed it.
    assert!(sent_to_model(&server, 5).contains("Do less."), "{}", sent_to_model(&server, 5));
    // It does not get them when the run continues either.
    let more = ModelServer::new([
        calls("run_command", &json!({ "command": "touch made" })),
        says("STATUS: COMPLETE"),
    ]);
    more.run(&scenario, &["resume", &id(&scenario), "--add-iterations", "1"]).exits(0);
    assert!(!scenario.has("made"));
}

fn id(scenario: &Scenario) -> String {
    scenario.records()[0]["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_task_file_that_is_spoilt_counts_as_it_was() {
    let scenario = Scenario::new();
    let script = [vec![replaces(&scenario, "task.toml", "= broken ["), idles()], finds(&[], "").to_vec()];
    let server = ModelServer::new(script.concat());
    scenario.write("task.toml", "[[chat.user]]\ncontent = 'Do it well.'\n");
    run(&server, &scenario, &["task.toml"])
        .exits(0)
        .says(&["cannot read the task file any more, so its last text counts"]);
    assert!(sent_to_model(&server, 2).contains("Do it well."));
}

#[test]
fn a_task_outside_of_the_folder_is_refused() {
    let server = ModelServer::new([]);
    let (scenario, other) = (Scenario::new(), Scenario::new());
    other.write("task.md", "Do it.\n");
    let outside = other.path("task.md");
    symlink(&outside, scenario.path("link.md")).expect("a link");
    for path in [outside.to_str().expect("text"), "link.md", "../tmp"] {
        let ran = run(&server, &scenario, &[path]).exits(2);
        assert!(
            ran.stderr.contains("outside") || ran.stderr.contains("cannot be worked on"),
            "{}",
            ran.stderr
        );
    }
    run(&server, &scenario, &["none.md"]).exits(2).says(&["none.md", "No such file"]);
    assert!(server.requests().is_empty() && scenario.records().is_empty());
    // A link within the folder is fine, and so is a path with a folder.
    scenario.write("a/task.md", "Do it.\n");
    symlink("task.md", scenario.path("a/link.md")).expect("a link");
    let server = ModelServer::new([says("STATUS: COMPLETE")]);
    let workdir = scenario.path("a");
    let args = ["a/link.md", "--workdir", workdir.to_str().expect("text"), "--json"];
    assert_eq!(json_of(&run(&server, &scenario, &args).exits(0))["task"], "task.md");
}

#[test]
fn a_link_in_the_place_of_our_folder_leads_nothing_out() {
    let server = ModelServer::new([says("STATUS: COMPLETE")]);
    let (scenario, outside) = (Scenario::new(), Scenario::new());
    scenario.write("task.md", "Do it.\n");
    symlink(outside.path(""), scenario.path(".loop")).expect("a link");
    run(&server, &scenario, &["task.md"]).exits(0).says(&["cannot write the files for you"]);
    assert_eq!(fs::read_dir(outside.path("")).expect("a folder").count(), 0);
}

#[test]
fn a_task_file_that_is_wrong_says_why_before_anything_is_run() {
    let server = ModelServer::new([]);
    for (name, text, said) in [
        ("a.txt", "do it", "a task is a .md or a .toml file"),
        ("a.toml", "a = 1\n", "unknown field `a`"),
        (
            "a.toml",
            "[tools]\nbash=[\"rm -rf\"]\n[[chat.user]]\ncontent='x'\n",
            "`rm -rf` under `tools` is not the name of a program",
        ),
        ("a.md", "", "it contains no task"),
    ] {
        let scenario = Scenario::new();
        scenario.write(name, text);
        run(&server, &scenario, &[name]).exits(2).says(&[name, said]);
        assert!(scenario.records().is_empty() && !scenario.has(".loop"));
    }
}

#[test]
fn claims_that_are_none_are_reviewed() {
    for claim in [
        "STATUS: COMPLETED_WITH_FAILURES",
        "STATUS: COMPLETE\nSTATUS: INCOMPLETE",
        "```\nSTATUS: COMPLETE\n```",
        "````\n```\n```\nSTATUS: COMPLETE\n````",
        "```\nx\n```rust\nSTATUS: COMPLETE",
        "<!--\nSTATUS: COMPLETE\n-->",
        "> STATUS: COMPLETE",
    ] {
        let server = ModelServer::new([vec![says(claim)], finds(&[], "").to_vec()].concat());
        let scenario = Scenario::new();
        scenario.write("task.md", "Do it.\n");
        run(&server, &scenario, &["task.md"]).exits(0).says(&["nothing pending"]);
        assert_eq!(server.requests().len(), 3, "{claim}");
    }
}

#[test]
fn who_says_that_it_is_done_while_a_check_fails_is_reviewed() {
    let script = [
        vec![says("STATUS: COMPLETE")],
        finds(&[], "").to_vec(),
        vec![writes("hello.sh", "echo hello kim\n"), says("STATUS: COMPLETE")],
    ];
    let server = ModelServer::new(script.concat());
    let scenario = Scenario::new();
    scenario.write("task.toml", TASK);
    run(&server, &scenario, &["task.toml"]).exits(0).says(&["complete after 2 iterations"]);
}

#[test]
fn a_secret_that_an_agent_says_is_nowhere() {
    let server = ModelServer::new([says("The key is not-to-be-shown-8237.\nSTATUS: COMPLETE")]);
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--log", "log.txt", "--json", "--verbose"]).exits(0);
    let files =
        ["log.txt", ".loop/task/execution.toml", ".loop/task/run.toml"].map(|name| scenario.read(name));
    for text in [&ran.stdout, &ran.stderr].into_iter().chain(&files) {
        assert!(!text.contains("not-to-be-shown"), "{text}");
    }
    assert!(files[1].contains("[redacted]"), "{}", files[1]);
}

#[test]
fn an_agent_that_draws_on_the_terminal_draws_nothing() {
    let server = ModelServer::new(
        [vec![idles()], finds(&["\u{1b}[2Jx"], "\u{1b}]0;title\u{7}").to_vec(), vec![Answer::status(401)]]
            .concat(),
    );
    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md"]).exits(3);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}
