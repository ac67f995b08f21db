//! A message shows the end of what a program printed. If that end begins within a secret, no part of the secret is shown.

use std::{fs, path::Path};

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario};

const SECRET: &str = "qZ7kWv9XbN3mTr5YdL8p";

/// Returns a command that prints the secret from a file with this many bytes behind it, on one line.
fn prints(bytes_behind: usize) -> String {
    format!("printf 'it is %s%0{bytes_behind}d\\n' $(cat key) 0")
}

fn knowing(scenario: &Scenario, args: &[&str]) -> CommandResult {
    RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
}

fn has_no_part(place: &str, text: &str) {
    let part = (0..=SECRET.len() - 6).map(|at| &SECRET[at..at + 6]).find(|part| text.contains(part));
    assert_eq!(part, None, "{place}: {text}");
}

fn has_no_part_in(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            has_no_part_in(&entry);
        } else if entry.extension().is_none_or(|extension| extension != "md" && extension != "json") {
            has_no_part(
                &entry.display().to_string(),
                &String::from_utf8_lossy(&fs::read(&entry).expect("a file")),
            );
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
