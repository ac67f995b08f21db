//! Manifests and task files have any name: tools change none of them without a person's yes.

use std::os::unix::fs::symlink;

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    model_server::Server,
    seat::Seat,
    support::{Manifest, World},
    task::{MODEL, finds, idles},
};

const REFUSED: &str = "a person at the terminal";

const YAML: &str = "goal: x\nagent: {command: 'true', prompt: x}\nevaluator: {command: touch pwned}\nguardrails: {max_iterations: 1}\n";

const TASK: &str = "---\nchecks: [touch pwned]\n---\nDo it.\n";

fn calls(calls: &[(&str, Value)]) -> Answer {
    let call = |(number, (tool, arguments)): (usize, &(&str, Value))| {
        Call::new(&format!("c{number}"), tool, [arguments.to_string().as_str()])
    };
    Answer::calls(calls.iter().enumerate().map(call))
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit_file", json!({ "path": path, "old": old, "new": new }))
}

/// A manifest whose agent is the server's model.
fn manifest() -> Value {
    Manifest::new("-", "true").set("agent", json!({ "model": "openai:scripted", "prompt": "{goal}" })).0
}

/// The answers of the tools, as the model reads them.
fn answers(server: &Server, request: usize) -> Vec<String> {
    let messages = server.requests()[request].body["messages"].clone();
    let messages = messages.as_array().expect("messages").iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn no_manifest_and_no_task_of_any_name_is_written_unattended() {
    let json = serde_json::to_string_pretty(&manifest()).expect("JSON");
    let toml = toml::to_string(&manifest()).expect("TOML");
    for runs in [&["run", "ci.json"][..], &["run", "x.toml"], &["chat", "--prompt", "Write them."]] {
        let world = World::new();
        let before =
            [("ci.json", &*json), ("x.toml", &toml), ("fix.md", TASK), ("half.yml", "agent: {}\ngoal: x\n")];
        for (path, text) in before {
            world.write(path, text);
        }
        symlink("ci.json", world.path("latest.json")).expect("a link");
        let hostile = [
            write("ci.json", "hostile"),
            write("sub/../x.toml", "hostile"),
            write("latest.json", "hostile"),
            write("fix.md", "hostile"),
            edit("ci.json", "All is well", "hostile"),
            edit("x.toml", "All is well", "hostile"),
            edit("fix.md", "pwned", "hostile"),
            edit("half.yml", "goal: x\n", "guardrails: {}\ngoal: x\n"),
            write("new/nightly.yaml", YAML),
            write("new/nightly.txt", &json),
            write("new/task.md", TASK),
            write("p.json", r#"{"date": "2026-11-01", "usd_per_million_tokens": {}}"#),
            write("new/task.toml", "checks = ['touch pwned']\n[[chat.user]]\ncontent = 'x'\n"),
        ];
        let server = Server::new([calls(&hostile), Answer::deltas(["Done."])]);
        let model = if runs[0] == "chat" { &MODEL[..] } else { &[] };
        server.run(&world, &[runs, model].concat()).exits(0);
        let answers = answers(&server, 1);
        assert_eq!(answers.len(), hostile.len());
        for (call, answer) in hostile.iter().zip(&answers) {
            assert!(answer.contains(REFUSED), "{runs:?} {call:?}: {answer}");
        }
        for (path, text) in before {
            assert_eq!(world.read(path), text, "{path}");
        }
        assert!(!world.has("new"));
    }
}

#[test]
fn the_task_under_way_is_not_rewritten_although_it_is_mere_text_not_even_when_it_is_resumed() {
    let world = World::new();
    world.write("plan/fix.md", "Do it.\n");
    symlink("plan/fix.md", world.path("link.md")).expect("a link");
    let hostile = [
        write("plan/fix.md", "hostile"),
        write("link.md", "hostile"),
        edit("plan/../plan/fix.md", "Do it", "hostile"),
    ];
    let begin = ["task", "link.md", "--loops", "1", MODEL[0], MODEL[1]];
    let go_on = ["task", "link.md", "--loops", "2", "--resume"];
    for args in [&begin[..], &go_on] {
        let pending = finds(&["more"], "");
        let server = Server::new([vec![calls(&hostile), idles()], pending.to_vec()].concat());
        server.run(&world, args).exits(1);
        let answers = answers(&server, 1);
        assert_eq!(answers.len(), 3);
        assert!(answers.iter().all(|answer| answer.contains(REFUSED)), "{answers:?}");
        assert_eq!(world.read("plan/fix.md"), "Do it.\n");
    }
}

#[test]
fn ordinary_files_of_a_project_are_written_as_ever() {
    let world = World::new();
    world.write("ci.json", serde_json::to_string(&manifest()).expect("JSON"));
    let files = [
        ("package.json", r#"{"name": "x", "scripts": {"agent": "node a.js", "evaluator": "node b.js"}}"#),
        ("Cargo.toml", "[package]\nname = \"x\"\n\n[dependencies]\nguardrails = \"1\"\nagent = \"1\"\n"),
        ("docker-compose.yml", "services:\n  agent: {image: x}\n  evaluator: {image: y}\n"),
        (".github/workflows/ci.yml", "name: CI\non: push\njobs:\n  agent:\n    runs-on: x\n"),
        ("openapi.yaml", "openapi: 3.1.0\ninfo: {title: agent, version: '1'}\npaths: {}\n"),
        ("docs/manifests.md", "# Manifests\n\n```yaml\nagent: {}\nevaluator: {}\n```\n"),
        ("notes.md", "Do it.\n"),
    ];
    let written: Vec<_> = files.iter().map(|(path, text)| write(path, text)).collect();
    let edited = edit("notes.md", "Do it", "Did it");
    let server = Server::new([calls(&written), calls(&[edited]), Answer::deltas(["Done."])]);
    server.run(&world, &["run", "ci.json"]).exits(0);
    for (path, text) in &files[..6] {
        assert_eq!(world.read(path), *text);
    }
    assert_eq!(world.read("notes.md"), "Did it.\n");
}

#[test]
fn a_person_says_yes_to_the_very_change_of_a_manifest_of_any_name() {
    let world = World::new();
    let writes = |path: &str| calls(&[write(path, YAML)]);
    let edits = calls(&[edit("nightly.yaml", "touch pwned", "make")]);
    let done = || Answer::deltas(["Done."]);
    let server = Server::new([writes("weekly.yml"), done(), writes("nightly.yaml"), done(), edits, done()]);
    let mut seat = Seat::chat(&world, &server, &[], (160, 40));
    seat.is_asked_after("/help");
    for (path, answer, outcome) in
        [("weekly.yml", "no", "refused"), ("nightly.yaml", "yes", "allowed, this once")]
    {
        seat.types("Write it.\r");
        seat.sees(&format!("to write `{path}`: this makes it a manifest, which `loop run` executes"));
        seat.sees("+guardrails: {max_iterations: 1}\nType `yes`");
        assert!(!world.has(path));
        seat.types(&format!("{answer}\r"));
        seat.is_asked_after(outcome);
    }
    assert!(!world.has("weekly.yml"));
    assert_eq!(world.read("nightly.yaml"), YAML);
    seat.types("Change it.\r");
    seat.sees("to write `nightly.yaml`: it is a manifest, which `loop run` executes");
    seat.sees("+evaluator: {command: make}\n");
    seat.types("yes\r");
    seat.is_asked_after("allowed, this once");
    assert_eq!(world.read("nightly.yaml"), YAML.replace("touch pwned", "make"));
    seat.leaves();
}
