//! `loop kb` and `/kb`: notes on projects.

use loop_testing::Answer;
use serde_json::Value;

use crate::{chat_harness::ChatHarness, model_server::ModelServer, screen::SIZES, support::Scenario};

#[test]
fn notes_belong_to_a_project_and_are_found_again() {
    let scenario = Scenario::new();
    scenario.run(&["kb", "observe", "lost"]).exits(2).says(&["no project is in use", "kb project use NAME"]);
    scenario.run(&["kb", "project", "add", "Parser", "reads", "text"]).exits(0);
    scenario
        .run(&["kb", "project", "add", "PARSER"])
        .exits(0)
        .prints(&["exists already, and was not changed"]);
    scenario.run(&["kb", "concept", "add", "tokens"]).exits(0);
    let added = scenario.run(&["kb", "observe", "finding", "Tokens", "are", "slow"]).exits(0);
    assert_eq!(added.stdout, "added a finding to the project `Parser`\n");
    scenario.run(&["kb", "observe", "decision"]).exits(0).prints(&["added a note"]);
    let list = scenario.run(&["kb", "project", "list"]).exits(0).stdout;
    assert_eq!(list, "Parser  active  2 observations  [tokens]  reads text\n");
    let found = scenario.run(&["kb", "search", "--json", "slow?!"]).exits(0).stdout;
    let note: Value = serde_json::from_str(&found).expect("one object");
    assert_eq!((&note["silo"], &note["label"]), (&"observation".into(), &"finding in Parser".into()));
    scenario.run(&["kb", "search", "zebra"]).exits(1).says(&["nothing was found"]);
    scenario.run(&["kb", "project", "use", "other"]).exits(2).says(&["there is no project `other`"]);
    scenario.run(&["kb", "project", "drop", "parser"]).exits(2).says(&["has 2 observations", "--force"]);
    scenario.run(&["kb", "project", "drop", "parser", "--force"]).exits(0);
    let status = scenario.run(&["kb", "status"]).exits(0).stdout;
    assert_eq!(status, "project in use  none\n0 projects, 0 observations, 1 concept\n");
}

#[test]
fn notes_can_be_put_into_a_conversation() {
    let scenario = Scenario::new();
    let server = ModelServer::new([Answer::deltas(["Noted."])]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/kb project add Parser: reads text", "added the project `Parser`");
    chat.says("/kb observe decision tabs stay", "added a decision");
    chat.says("/kb concept add tabs", "added the concept `tabs`");
    chat.says("/kb search nothing", "nothing was found");
    chat.says("/kb search", "the text is missing");
    chat.says("/kb inject", "the text is missing");
    chat.says("/kb inject tabs", "tabs stay");
    chat.says("So?", "Noted.");
    let sent = server.requests()[0].body["messages"].to_string();
    assert!(sent.contains("[notes of the user]") && sent.contains("tabs stay"), "{sent}");
    chat.says("/kb project", "is not understood");
    chat.leaves();
}
