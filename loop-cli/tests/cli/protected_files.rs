//! Manifests and task files may have any name. Tools change none of them without a person's yes.

use std::os::unix::fs::symlink;

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    chat_harness::ChatHarness,
    model_server::ModelServer,
    support::{Manifest, Scenario},
    task::{MODEL, finds, idles},
};

const REFUSED: &str = "a person at the terminal";

const YAML: &str = "goal: x\nagent: {command: 'true', prompt: x}\nevaluator: {command: touch pwned}\nguardrails: {max_iterations: 1}\n";

const TASK: &str = "---\nchecks: [touch pwned]\n---\nDo it.\n";

const CASE: &str = "prompt: say hi\nchecks:\n- command: touch pwned\n";

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

/// Returns a manifest whose agent is the server's model.
fn manifest() -> Value {
    Manifest::new("-", "true").set("agent", json!({ "model": "openai:scripted", "prompt": "{goal}" })).0
}

/// Returns the tools' answers as the model reads them.
fn answers(server: &ModelServer, request: usize) -> Vec<String> {
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
        let scenario = Scenario::new();
        let before =
            [("ci.json", &*json), ("x.toml", &toml), ("fix.md", TASK), ("half.yml", "agent: {}\ngoal: x\n")];
        for (path, text) in before {
            scenario.write(path, text);
        }
        symlink("ci.json", scenario.path("latest.json")).expect("a link");
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
        let server = ModelServer::new([calls(&hostile), Answer::deltas(["Done."])]);
        let model = if runs[0] == "chat" { &MODEL[..] } else { &[] };
        server.run(&scenario, &[runs, model].concat()).exits(0);
        let answers = answers(&server, 1);
        assert_eq!(answers.len(), hostile.len());
        for (call, answer) in hostile.iter().zip(&answers) {
            assert!(answer.contains(REFUSED), "{runs:?} {call:?}: {answer}");
        }
        for (path, text) in before {
            assert_eq!(scenario.read(path), text, "{path}");
        }
        assert!(!scenario.has("new"));
    }
}

#[test]
fn no_case_no_plan_with_commands_and_no_file_of_a_skill_is_written_unattended() {
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[skills]\nfolders = ['kit/skills']\n");
    scenario.write("assays/old.yaml", CASE);
    let hostile = [
        write("assays/new.yaml", CASE),
        write("assays/new.json", r#"{"prompt": "x", "checks": [{"command": "touch pwned"}]}"#),
        write("assays/new.toml", "prompt = 'x'\n[[checks]]\ncommand = 'touch pwned'\n"),
        write("assays/other.yml", "manifest: other\n"),
        edit("assays/old.yaml", "touch pwned", "hostile"),
        write("todo.md", "- [ ] Build it [validate: command touch pwned]\n"),
        write("agents/skills/x/scripts/compiled.bash", "touch pwned\n"),
        write("agents/skill-sets/x.yaml", "name: x\nskills: [y]\n"),
        write("kit/skills/x/scripts/compiled.bash", "touch pwned\n"),
        write("KIT/skill-sets/x.yaml", "name: x\nskills: [y]\n"),
        write("harvey.yaml", "commands: {allow: [sh]}\n"),
    ];
    let server = ModelServer::new([calls(&hostile), Answer::deltas(["Done."])]);
    server.run(&scenario, &[&["chat", "--prompt", "Write them."], &MODEL[..]].concat()).exits(0);
    let answers = answers(&server, 1);
    for (call, answer) in hostile.iter().zip(&answers) {
        assert!(answer.contains(REFUSED), "{call:?}: {answer}");
    }
    assert_eq!((answers.len(), scenario.read("assays/old.yaml").as_str()), (hostile.len(), CASE));
    for path in ["assays/new.yaml", "todo.md", "agents", "kit", "KIT", "harvey.yaml"] {
        assert!(!scenario.has(path), "{path}");
    }
}

#[test]
fn the_task_under_way_is_not_rewritten_although_it_is_mere_text_not_even_when_it_is_resumed() {
    let scenario = Scenario::new();
    scenario.write("plan/fix.md", "Do it.\n");
    symlink("plan/fix.md", scenario.path("link.md")).expect("a link");
    let hostile = [
        write("plan/fix.md", "hostile"),
        write("link.md", "hostile"),
        edit("plan/../plan/fix.md", "Do it", "hostile"),
    ];
    let begin = ["task", "link.md", "--max", "1", MODEL[0], MODEL[1]];
    let go_on = ["task", "link.md", "--max", "2", "--resume"];
    for args in [&begin[..], &go_on] {
        let pending = finds(&["more"], "");
        let server = ModelServer::new([vec![calls(&hostile), idles()], pending.to_vec()].concat());
        server.run(&scenario, args).exits(1);
        let answers = answers(&server, 1);
        assert_eq!(answers.len(), 3);
        assert!(answers.iter().all(|answer| answer.contains(REFUSED)), "{answers:?}");
        assert_eq!(scenario.read("plan/fix.md"), "Do it.\n");
    }
}

#[test]
fn ordinary_files_of_a_project_are_written_as_ever() {
    let scenario = Scenario::new();
    scenario.write("ci.json", serde_json::to_string(&manifest()).expect("JSON"));
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
    let server = ModelServer::new([calls(&written), calls(&[edited]), Answer::deltas(["Done."])]);
    server.run(&scenario, &["run", "ci.json"]).exits(0);
    for (path, text) in &files[..6] {
        assert_eq!(scenario.read(path), *text);
    }
    assert_eq!(scenario.read("notes.md"), "Did it.\n");
}

#[test]
fn a_person_says_yes_to_the_very_change_of_a_manifest_of_any_name() {
    let scenario = Scenario::new();
    let writes = |path: &str| calls(&[write(path, YAML)]);
    let edits = calls(&[edit("nightly.yaml", "touch pwned", "make")]);
    let done = || Answer::deltas(["Done."]);
    let server =
        ModelServer::new([writes("weekly.yml"), done(), writes("nightly.yaml"), done(), edits, done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (160, 40));
    chat.wait_for_prompt_after("/help");
    for (path, answer, outcome) in
        [("weekly.yml", "no", "refused"), ("nightly.yaml", "yes", "allowed, this once")]
    {
        chat.types("Write it.\r");
        chat.sees(&format!("to write `{path}`: this makes it a manifest"));
        chat.sees("+guardrails: {max_iterations: 1}\nType `yes`");
        assert!(!scenario.has(path));
        chat.types(&format!("{answer}\r"));
        chat.wait_for_prompt_after(outcome);
    }
    assert!(!scenario.has("weekly.yml"));
    assert_eq!(scenario.read("nightly.yaml"), YAML);
    chat.types("Change it.\r");
    chat.sees("to write `nightly.yaml`: it is a manifest");
    chat.sees("+evaluator: {command: make}\n");
    chat.types("yes\r");
    chat.wait_for_prompt_after("allowed, this once");
    assert_eq!(scenario.read("nightly.yaml"), YAML.replace("touch pwned", "make"));
    chat.leaves();
}

/// With the home folder as the workspace, the next terminal would execute what a model wrote.
#[test]
fn no_file_that_a_shell_an_editor_or_a_hook_executes_by_itself_is_written_unattended() {
    let scenario = Scenario::new();
    scenario.write(".bashrc", "mine\n");
    scenario.write("secrets-prod.yml", "a: hunter2\n");
    let hostile = [
        write(".bashrc", "hostile"),
        edit(".bashrc", "mine", "hostile"),
        write("sub/../.zshrc", "hostile"),
        write(".profile", "hostile"),
        write(".config/fish/config.fish", "hostile"),
        write("app/.husky/pre-commit", "hostile"),
        write(".replit", "hostile"),
        write(".vscode/tasks.json", "{}"),
        write(".local/bin/ls", "hostile"),
    ];
    let reads = [
        ("read_file", json!({ "path": "secrets-prod.yml" })),
        write("Makefile", "all:\n"),
        write("secrets.md", "# Secrets\n"),
    ];
    let server = ModelServer::new([calls(&[&hostile[..], &reads].concat()), Answer::deltas(["Done."])]);
    server.run(&scenario, &[&["chat", "--prompt", "Write them."], &MODEL[..]].concat()).exits(0);
    let answers = answers(&server, 1);
    for (call, answer) in hostile.iter().zip(&answers) {
        // Some of these files hold secrets, too, which nobody may write.
        assert!(answer.contains(REFUSED) || answer.contains("secrets"), "{call:?}: {answer}");
    }
    assert!(answers[hostile.len()].contains("hold secrets"), "{}", answers[hostile.len()]);
    assert_eq!(scenario.read(".bashrc"), "mine\n");
    for path in [".zshrc", ".profile", ".config", "app", ".replit", ".vscode", ".local"] {
        assert!(!scenario.has(path), "{path}");
    }
    assert!(scenario.has("Makefile") && scenario.has("secrets.md"));
}
