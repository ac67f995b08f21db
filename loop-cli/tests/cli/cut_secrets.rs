//! A message shows the end of what a program printed. If that end begins within a secret, no part of the secret is
//! shown. The same holds for a reply or an output that breaks off within one.

use std::{fs, path::Path};

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    chat_harness::{CTRL_C, ChatHarness, answered_by},
    model_server::{KEY, ModelServer},
    session::transcript_entries,
    support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario, wait_until},
    task_agents::reviewer,
};

const SECRET: &str = "qZ7kWv9XbN3mTr5YdL8p";

/// Returns whether these are contents of snapshots: copies of the person's own files, with the secrets in them.
pub(crate) fn is_copy(path: &Path) -> bool {
    path.ends_with("packs") && path.ancestors().any(|folder| folder.ends_with("snapshots"))
}

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
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    for entry in entries.filter(|entry| !is_copy(entry)) {
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

/// Returns the beginning of a reply that ends within the server's key.
fn half() -> Answer {
    Answer::deltas(["the key is ", &KEY[..9], &KEY[9..15]])
}

#[test]
fn a_reply_that_breaks_off_has_none() {
    let server = ModelServer::new([half().breaks(), Answer::deltas(["Fine."])]);
    let scenario = Scenario::new();
    let args = ["chat", "--model", "openai:scripted", "--prompt", "Hello?"];
    let chat = ChatHarness::open(&scenario, &args, (80, 24), |command| answered_by(command, &server));
    chat.sees("Fine.");
    assert_eq!(chat.page(), "the key is [redacted]\nthe reply broke off and starts again\nFine.");
    chat.finish().exits(0);
    // Nothing is missing behind this one.
    let ran = ModelServer::new([half()]).chat(&Scenario::new(), "Hello?", &[]).exits(0);
    assert_eq!(ran.stdout, format!("the key is {}\n", &KEY[..15]));
}

#[test]
fn a_reply_that_breaks_off_in_a_session_has_none() {
    let scenario = Scenario::new();
    let server = ModelServer::new([half().breaks(), half().stalls()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (80, 24));
    chat.wait_for_prompt_after("/help");
    chat.types("Hello?\r");
    chat.sees("starts again");
    wait_until("the second reply is shown", || chat.page().matches("the key is").count() == 2);
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("interrupted");
    let page = chat.page();
    assert!(page.contains("the key is [redacted]") && !page.contains(&KEY[..6]), "{page}");
    chat.leaves();
    let entries = format!("{:?}", transcript_entries(&scenario));
    // The interrupt comes before or after the beginning of the key, of which the screen shows nothing yet.
    let said = ["the key is …", "the key is [redacted]…"];
    assert!(said.iter().any(|said| entries.contains(said)) && !entries.contains(&KEY[..6]), "{entries}");
}

#[test]
fn a_models_reply_that_breaks_off_in_a_run_has_none() {
    let agent = json!({ "model": "openai:scripted", "prompt": "{goal}" });
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("-", "true").set("agent", agent));
    let server = ModelServer::new([half().breaks(), Answer::deltas(["Fine."])]);
    let ran = server.run(&scenario, &["run", "loop.json", "--show-output", "--keep-output"]).exits(0);
    assert!(
        ran.stderr.contains("the key is [redacted]") && !ran.stderr.contains(&KEY[..6]),
        "{}",
        ran.stderr
    );
    no_file_has(&scenario.state(), &KEY[..6]);
}

#[test]
fn the_output_of_an_agent_or_check_that_a_limit_ends_has_none() {
    let printing = format!("printf 'it is %s' $(cut -c 1-12 key); {FOREVER}");
    for (agent, check, limit) in [
        (printing.as_str(), "true", "guardrails.max_seconds"),
        (&printing, "true", "agent.max_seconds"),
        ("true", &printing, "evaluator.max_seconds"),
    ] {
        let scenario = Scenario::new();
        scenario.write("key", SECRET);
        scenario.manifest(&Manifest::new(agent, check).set("guardrails.max_iterations", 1).set(limit, 4));
        let ran = knowing(&scenario, &["run", "--show-output", "--keep-output"]);
        assert!(ran.stderr.contains("it is [redacted]"), "{limit}: {}", ran.stderr);
        has_no_part("the messages", &(ran.stdout + &ran.stderr));
        no_file_has(&scenario.state(), &SECRET[..6]);
    }
}

#[test]
fn a_message_about_a_manifest_or_about_settings_has_none_wherever_it_cuts_a_line() {
    let (scenario, rest) = (Scenario::new(), "1".repeat(200));
    for zeros in (0..=200).step_by(5) {
        let value = format!("{} {SECRET} {}", "0".repeat(zeros), "0".repeat(zeros % 30));
        scenario.write("it.toml", format!("goal = \"{value}\" oops \"{rest}\"\n"));
        scenario.write("it.json", format!("{{\"goal\": \"{value}\", oops \"{rest}\"}}\n"));
        scenario.write("it.yaml", format!("{{goal: \"{value}\", goal: \"{rest}\"}}\n"));
        scenario.write("project/loop.toml", format!("chat = {{ model = \"{value}\" oops \"{rest}\" }}\n"));
        for args in [
            &["check", "it.toml"][..],
            &["check", "it.json"],
            &["run", "it.yaml"],
            &["models", "--cwd", "project"],
            &["chat", "--cwd", "project", "--prompt", "x"],
        ] {
            let ran = knowing(&scenario, args);
            assert!(ran.stderr.contains("-->"), "{args:?}: {}", ran.stderr);
            has_no_part(&format!("{args:?}"), &(ran.stdout + &ran.stderr));
        }
    }
}

#[test]
fn a_message_about_a_command_line_has_none_wherever_it_cuts_the_line() {
    let scenario = Scenario::new();
    for zeros in (0..=200).step_by(5) {
        let (prompt, finish) = (format!("{}{SECRET}pp", "0".repeat(zeros)), format!("echo {SECRET}"));
        let flags = ["run", "--agent", "true", "--check", "true", "--max", "1", "--goal", "g"];
        let more = ["--prompt", &prompt, "--on-finish", &finish, "--var", "X=1"];
        let ran = knowing(&scenario, &[&flags[..], &more].concat()).exits(2).says(&["the command line"]);
        has_no_part("the messages", &(ran.stdout + &ran.stderr));
    }
}

fn no_file_has(folder: &Path, part: &str) {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    for entry in entries.filter(|entry| !is_copy(entry)) {
        if entry.is_dir() {
            no_file_has(&entry, part);
        } else {
            let text = fs::read(&entry).expect("a file");
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains(part), "{}: {text}", entry.display());
        }
    }
}
