//! Observed behaviour of a similar program, with the same inputs. Where it is a defect there, these tests require the
//! opposite. The tests of `loop task` cover the command line.

use loop_agents::{
    chat::ScriptedModel,
    review::{ActionLog, next_steps},
    tools::ToolOutcome,
};
use serde_json::{Value, json};

use super::{by_model, folder, reviewed, said, tools, write};

fn case(id: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("task_loop.json")).expect("JSON");
    let cases = data["cases"].as_array().expect("cases").iter();
    cases.clone().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}")).clone()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

/// There a number with two digits does not start an item, emphasis loses its beginning, and an item may have no words.
#[test]
fn next_steps_are_read_as_there() {
    for (id, otherwise) in [
        ("cs-pending-mixed", vec![(4, Some("tenth item"))]),
        ("cs-pending-cap5", vec![]),
        ("cs-pending-strip", vec![(0, Some("**bold** item")), (2, None)]),
    ] {
        let case = case(id);
        let mut expected: Vec<_> = texts(&case["expect"]["items"]).into_iter().map(Some).collect();
        for (at, ours) in otherwise {
            assert_ne!(expected[at], ours, "{id} is the same");
            expected[at] = ours;
        }
        let expected: Vec<_> = expected.into_iter().flatten().collect();
        assert_eq!(next_steps(case["given"]["final_text"].as_str().expect("a text")), expected, "{id}");
    }
}

/// There one of these commands creates a file, and the other removes one.
#[tokio::test]
async fn a_reviewer_s_commands_change_nothing() {
    let case = case("cs-review-bash-hole");
    let folder = folder();
    write(&folder, "g.toml", "");
    for command in texts(&case["given"]["commands"]) {
        let report = tools(folder.path()).call("run_command", &json!({ "command": command })).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{command}");
    }
    assert!(folder.path().join("g.toml").exists() && !folder.path().join("PWNED2").exists());
}

/// There the reviewer reads of errors and refusals in separate places, and of the report after both.
#[tokio::test]
async fn a_reviewer_is_told_what_was_refused() {
    let case = case("cs-review-prompt-rejected");
    let given = &case["given"];
    let apart = |text: &'static str| text.split_once(": ").expect("what, and why");
    let (error, rejected) =
        ("bash(curl x): Error: command not allowed: 'curl'", "bash(rm -rf x): repeat_blocked");
    assert_eq!(
        (texts(&given["summary"]["errors"]), texts(&given["summary"]["rejected"])),
        (vec![error], vec![rejected])
    );
    let mut actions = ActionLog::default();
    texts(&given["summary"]["files_read"]).into_iter().for_each(|path| actions.read(path));
    actions.failed(apart(error).0, apart(error).1);
    actions.rejected(apart(rejected).0, apart(rejected).1);
    let mut worked = said(given["exec_answer"].as_str().expect("a text"));
    worked.actions = actions;
    let (folder, model) = (folder(), ScriptedModel::new().says("I say nothing."));
    reviewed(&mut by_model(folder.path(), &model), worked).await.expect("a verdict");
    let told = model.requests()[0].messages[0].text().to_owned();
    let told: Vec<_> = told.lines().skip_while(|line| !line.starts_with("Files read")).take(8).collect();
    let (errors, refused) = (format!("  {error}"), format!("  {rejected}"));
    let ours = [
        "Files read: a",
        "Errors:",
        &errors,
        "Tried, refused and NOT done:",
        &refused,
        "",
        "The agent's own report, which is a claim:",
        "> did it",
    ];
    assert_eq!(told, ours);
}
