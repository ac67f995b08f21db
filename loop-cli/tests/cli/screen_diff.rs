//! `/diff` in `loop chat`.

use std::process::Command;

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    model_server::ModelServer,
    screen::{SIZES, chat},
    support::{Scenario, shown},
};

fn edit(path: &str, old: &str, new: &str) -> Answer {
    let arguments = json!({ "path": path, "old": old, "new": new }).to_string();
    Answer::calls([Call::new("c1", "edit_file", [arguments.as_str()])])
}

/// Runs git in the folder of the session, and returns its output.
fn git(scenario: &Scenario, words: &[&str]) -> String {
    let output = Command::new("git").current_dir(scenario.path(".")).args(words).output().expect("git runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Starts a repository with a committed file and one that is not committed.
fn repository(scenario: &Scenario) {
    scenario.write("poem.txt", "Roses are red,\nviolets are blue.\n");
    scenario.write("list.txt", "one\ntwo\n");
    scenario.write("same.txt", "same\n");
    git(scenario, &["init", "-q"]);
    git(scenario, &["add", "."]);
    git(scenario, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    scenario.write("list.txt", "one\ntwo\nthree\n");
}

#[test]
fn a_diff_shows_what_tools_and_commands_changed() {
    for size in SIZES {
        let scenario = Scenario::new();
        repository(&scenario);
        let commit = git(&scenario, &["rev-parse", "HEAD"]);
        let server = ModelServer::new([
            edit("poem.txt", "red", "grey"),
            edit("poem.txt", "grey", "black"),
            Answer::deltas(["Done."]),
        ]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("/diff", "nothing has changed since the session began");
        chat.types("Change it.\r");
        chat.sees("[y]es once");
        chat.types("s\r");
        chat.wait_for_prompt_after("Done.");
        chat.says("!echo four >> list.txt; echo new > notes.txt; rm same.txt", "");
        chat.says("/clear", "");
        chat.says("/diff", "These files since commit");
        let page = chat.page();
        let commit = commit.trim().get(..10).expect("a commit");
        shown(&format!("screen_diff_{}", size.0), &page.replace(commit, "[commit]"));
        chat.says("/diff notes.txt", "+new");
        chat.leaves();
    }
}

#[test]
fn a_file_is_compared_with_its_first_state_without_a_repository_too() {
    let scenario = Scenario::new();
    scenario.write("a.txt", "1\n");
    let server = ModelServer::new([edit("a.txt", "1", "2"), Answer::deltas(["Done."])]);
    let mut chat = chat(&scenario, &server, SIZES[0]);
    chat.types("Change it.\r");
    chat.sees("[y]es once");
    chat.types("y\r");
    chat.wait_for_prompt_after("Done.");
    chat.says("/diff ./a.txt", "a.txt (changed)\n@@ -1 +1 @@\n-1\n+2\n");
    chat.leaves();
}
