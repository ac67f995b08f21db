use loop_guardrails::policy::ActionPolicy;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::*;

#[derive(Serialize)]
struct Head<'a> {
    phase: &'a str,
}

fn begun(folder: &TempDir) -> PhaseLog {
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
    let redact = Arc::new(|text: &str| text.replace("s3cret", "[redacted]"));
    PhaseLog::begin(&workspace, "log.toml", &Head { phase: "execution" }, redact).expect("a log")
}

fn parsed(folder: &TempDir) -> toml::Table {
    let text = std::fs::read_to_string(folder.path().join("log.toml")).expect("a log");
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn events(folder: &TempDir) -> Vec<toml::Table> {
    let log = parsed(folder);
    let events = log.get("event").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    events.into_iter().map(|event| event.as_table().expect("a table").clone()).collect()
}

const DONE: (ToolOutcome, Option<i32>) = (ToolOutcome::Done, None);

fn ended<'a>(
    id: &'a str,
    (outcome, exit_code): (ToolOutcome, Option<i32>),
    message: &'a str,
) -> CallEvent<'a> {
    CallEvent::ended(id, outcome, exit_code, message)
}

#[test]
fn a_call_is_one_table_and_one_that_is_overtaken_ends_in_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = begun(&folder);
    let mut add = |time: &str, event| log.on_call(time, event).expect("it is written");
    let command = json!({ "command": "make" });
    add("1", CallEvent::began("a", "shell", &command));
    add("2", ended("a", (ToolOutcome::Done, Some(2)), ""));
    add("3", CallEvent::began("b", "read", &Value::Null));
    add("4", CallEvent::began("c", "shell", &command));
    add("5", ended("b", (ToolOutcome::Failed, None), "no such\nfile"));
    add("6", ended("unknown", DONE, ""));
    add("7", ended("c", DONE, ""));
    let table = |text: &str| text.parse::<toml::Table>().expect("TOML");
    let shell = "call = 'shell'\narguments = '{\"command\":\"make\"}'\n";
    let expected = [
        table(&format!("time = '1'\n{shell}outcome = 'done'\nexit_code = 2")),
        table("time = '3'\ncall = 'read'\narguments = ''"),
        table(&format!("time = '4'\n{shell}")),
        table("time = '5'\ncall = 'read'\narguments = ''\noutcome = 'failed'\nmessage = \"no such\\nfile\""),
        table(&format!("time = '7'\n{shell}outcome = 'done'")),
    ];
    assert_eq!(events(&folder), expected);
    // The next phase of the same kind begins a new file.
    assert_eq!(parsed(&folder)["phase"].as_str(), Some("execution"));
    begun(&folder);
    assert_eq!(events(&folder).len(), 0);
}

#[test]
fn secrets_go_before_a_text_is_cut_and_a_path_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = begun(&folder);
    let content = "x".repeat(195) + "s3cret" + &"y".repeat(1 << 20);
    let write = json!({ "content": content, "path": "src/lib.rs" });
    for arguments in [&write, &Value::from(&*content)] {
        log.on_call("1", CallEvent::began("a", "write", arguments)).expect("it is written");
        log.on_call("1", ended("a", DONE, &content)).expect("it is written");
    }
    let text = std::fs::read_to_string(folder.path().join("log.toml")).expect("a log");
    assert!(!text.contains("s3c") && text.contains("[red"), "{text}");
    assert!(
        events(&folder)[0]["arguments"].as_str().is_some_and(|it| it.starts_with("{\"path\":\"src/lib.rs\""))
    );
}

proptest! {
    /// The log is whole after each event, in order, and within its bounds, for all calls and outputs of agents.
    #[test]
    fn the_log_is_valid_after_each_event(
        calls in prop::collection::vec((0..3_u8, any::<bool>(), "\\PC{0,9}|[\"'\\\\\n\r\t\u{0}\u{7f}#=\\[\\]]{0,300}"), 0..20),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut log = begun(&folder);
        let mut most = 0;
        for (number, (id, is_begin, text)) in calls.iter().enumerate() {
            let (id, time) = (id.to_string(), format!("{number:03}"));
            let arguments = json!({ "a": text, "b": [text] });
            let event = if *is_begin { CallEvent::began(&id, text, &arguments) } else { ended(&id, DONE, text) };
            log.on_call(&time, event).expect("it is written");
            let events = events(&folder);
            prop_assert!(events.len() >= most);
            most = events.len();
            prop_assert!(events.windows(2).all(|pair| pair[0]["time"].as_str() <= pair[1]["time"].as_str()));
            for event in &events {
                let length = |key: &str| event[key].as_str().expect("a text").chars().count();
                prop_assert!(length("call") <= ARGUMENT_CHARS && length("arguments") <= ARGUMENT_CHARS);
            }
        }
    }
}

/// The system's device for a full disk takes the place of the file.
#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = begun(&folder);
    log.on_call("1", CallEvent::began("a", "shell", &Value::Null)).expect("it is written");
    let before = events(&folder);
    let whole =
        std::mem::replace(&mut log.file, File::options().write(true).open("/dev/full").expect("a full disk"));
    assert!(log.on_call("2", ended("a", DONE, "")).is_err());
    log.file = whole;
    assert_eq!(events(&folder), before);
}
