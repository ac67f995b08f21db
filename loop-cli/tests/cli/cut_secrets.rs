//! A message shows the end of what a program printed. If that end begins within a secret, no part of the secret is shown.

use std::{fs, path::Path};

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    model_server::{KEY, ModelServer},
    support::{CommandResult, Manifest, RunningCommand, Scenario},
    task_agents::reviewer,
};

const SECRET: &str = "qZ7kWv9XbN3mTr5YdL8p";

/// Returns a command that prints the secret from a file with this many bytes behind it, on one line.
fn prints(bytes_behind: usize) -> String {
    format!("printf 'it is %s%0{bytes_behind}d\\n' $(cat key) 0")
}

fn knowing(scenario: &Scenario, args: &[&str]) -> CommandResult {
    RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
}

fn has_no_part(place: &str, text: &str) {
    has_no_part_of(SECRET, place, text);
}

fn has_no_part_of(secret: &str, place: &str, text: &str) {
    let part = (0..=secret.len() - 6).map(|at| &secret[at..at + 6]).find(|part| text.contains(part));
    assert_eq!(part, None, "{place}: {text}");
}

fn has_no_part_in(folder: &Path) {
    has_no_part_of_in(SECRET, folder);
}

fn has_no_part_of_in(secret: &str, folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            has_no_part_of_in(secret, &entry);
        } else {
            let text = fs::read(&entry).expect("a file");
            has_no_part_of(secret, &entry.display().to_string(), &String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn the_reason_of_a_missing_program_or_a_failed_last_command_has_none() {
    for behind in (478..=500).step_by(2) {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        let (out, err) = (format!("{}; exit 9", prints(behind)), format!("{} >&2; exit 127", prints(behind)));
        scenario.manifest(&Manifest::new(&err, "false").set("on_finish", out));
        let ran = knowing(&scenario, &["run"]).says(&["exited with 127", "in `on_finish`"]);
        has_no_part("the messages", &(ran.stdout + &ran.stderr));
        has_no_part("the list", &knowing(&scenario, &["show"]).stdout);
        has_no_part_in(&scenario.state());
    }
}

#[test]
fn a_reviewers_last_words_have_none() {
    for behind in (278..=300).step_by(2) {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        scenario.write("task.md", "---\nchecks: ['true']\n---\nDo it.\n");
        let (agent, review) = (format!("{}; exit 126", prints(478)), prints(behind));
        for agent in ["echo did it", &agent] {
            let args = ["task", "task.md", "--agent", agent, "--review-agent", &review, "--max", "1", "-v"];
            let ran = knowing(&scenario, &args);
            has_no_part("the messages", &(ran.stdout + &ran.stderr));
            has_no_part_in(&scenario.state());
            has_no_part_in(&scenario.path(".loop"));
        }
    }
}

#[test]
fn a_refused_line_of_usage_has_none() {
    for before in (165..=200).step_by(3) {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        let line = format!(r#"{{"cost_usd": 0.01, "x": "%0{before}d%s" oops\n"#);
        let agent = format!("printf '{line}' 0 $(cat key) >> $LOOP_USAGE_FILE");
        scenario.manifest(&Manifest::new(&agent, "false").set("guardrails.max_iterations", 1));
        let ran = knowing(&scenario, &["run"]).says(&["did not count"]);
        has_no_part("the messages", &(ran.stdout + &ran.stderr));
        has_no_part_in(&scenario.state());
    }
}

/// A long secret, as `fold` wraps it.
const LONG: &str = "Zq7kcorrectThorseXbattery9Xw4staple-and-more-words-until-it-is-long-enough-K4q";

#[test]
fn the_lines_of_a_wrapped_secret_are_parts_of_it() {
    let scenario = Scenario::new();
    scenario.write("key", LONG);
    scenario.write("task.md", "---\nchecks: ['true']\n---\nDo it.\n");
    let known =
        |args: &[&str]| RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", LONG)).finish();
    let wraps = "fold -w 40 key";
    let manifest = Manifest::new(&format!("{wraps} >&2; exit 127"), "false");
    scenario.manifest(&manifest.set("on_finish", format!("base64 key; {wraps}; exit 9")));
    let ran = known(&["run"]).says(&["exited with 127", "in `on_finish`"]);
    has_no_part_of(LONG, "the messages", &(ran.stdout + &ran.stderr));
    let pending = r#""see $(fold -w 40 key | sed ':a;N;$!ba;s/\n/\\n/g')""#;
    let args =
        ["task", "task.md", "--agent", wraps, "--review-agent", &reviewer(pending), "--max", "1", "-v"];
    let ran = known(&args).says(&["see [redacted]"]);
    has_no_part_of(LONG, "the messages of a task", &(ran.stdout + &ran.stderr));
    has_no_part_of_in(LONG, &scenario.state());
    has_no_part_of_in(LONG, &scenario.path(".loop"));
}

/// Returns a call of a tool with these arguments.
fn call(tool: &str, arguments: &Value) -> Answer {
    Answer::calls([Call::new("c1", tool, [arguments.to_string().as_str()])])
}

#[test]
fn what_a_tool_cuts_has_none() {
    let scenario = Scenario::new();
    let half = KEY.len() / 2;
    let filler = |bytes: usize| "y".repeat(bytes - half);
    scenario.write("long.txt", format!("needle {} {KEY} tail\n", filler(300 - 8)));
    scenario.write("huge.txt", format!("{}{KEY} needle tail", filler(64 * 1024)));
    scenario.write("one.txt", format!("{}{KEY}{}", filler(63 * 1024), filler(9000)));
    let attachment = json!({ "media_type": KEY, "base64": KEY, "name": KEY });
    let server = ModelServer::new([
        call("search_files", &json!({ "pattern": "needle" })),
        call("read_file", &json!({ "path": "one.txt" })),
        call("edit_file", &json!({ "path": [format!("{}{KEY}", filler(78))], "old": 1, "new": 2 })),
        call("whoami", &attachment),
        call("read_file", &json!({ "path": format!("{}\n{}", &KEY[..half], &KEY[half..]) })),
        Answer::deltas(["Done."]),
    ]);
    let ran = server.chat(&scenario, "Go on.", &["--json"]).exits(0);
    assert!(ran.stdout.contains("needle") && ran.stdout.contains("[redacted]"), "{}", ran.stdout);
    has_no_part_of(KEY, "the messages", &(ran.stdout + &ran.stderr));
    has_no_part_of_in(KEY, &scenario.state());
}

#[test]
fn the_name_of_a_run_has_none() {
    const UPPER: &str = "Zq7_correct_Horse_Battery9Xw";
    let scenario = Scenario::new();
    scenario.write(&format!("{UPPER}/.keep"), "");
    let mut command = scenario.loop_command(&["run", "--agent", "true", "--check", "false", "--max", "1"]);
    command.current_dir(scenario.path(UPPER)).env("MY_API_KEY", UPPER);
    let ran = RunningCommand::new(&mut command).finish().exits(1);
    let name = "zq7-correct-horse-battery9xw";
    has_no_part_of(name, "the messages", &(ran.stdout + &ran.stderr));
    has_no_part_of_in(name, &scenario.state());
}
