//! An adversary: command lines from the manuals of git and other programs, run with the real programs in dangerous
//! repositories. Every file that a model must not read contains a canary. A test fails if a tool's answer contains a
//! canary, or a command writes a file.

mod folders;
mod lines;

use std::{cell::Cell, path::PathBuf, sync::LazyLock};

use loop_agents::tools::ToolOutcome;
use proptest::{
    prelude::*,
    test_runner::{Config, TestCaseError, TestError, TestRunner},
};
use serde_json::json;
use tokio::runtime::Runtime;

use self::folders::{CANARY, Folder};

static FOLDERS: LazyLock<Vec<Folder>> = LazyLock::new(folders::all);

/// Runs this many lines, and returns for each folder how many of them succeeded.
fn attack(cases: u32) -> Vec<u32> {
    let runtime = Runtime::new().unwrap();
    let done: Vec<_> = FOLDERS.iter().map(|_| Cell::new(0)).collect();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    // Most lines are for folders in which git runs.
    let open = FOLDERS.iter().take_while(|folder| !folder.is_refused).count();
    let attacks = (prop_oneof![4 => 0..open, 1 => 0..FOLDERS.len()], lines::any());
    let result = TestRunner::new(config).run(&attacks, |(at, line)| {
        let folder = &FOLDERS[at];
        let line = folder.fill(&line);
        let report = runtime.block_on(folder.tools.call("run_command", &json!({ "command": line })));
        if report.outcome == ToolOutcome::Done {
            done[at].set(done[at].get() + 1);
        }
        if report.text.contains(CANARY) {
            return Err(TestCaseError::fail(format!("in {}: {line}\n{}", folder.name, report.text)));
        }
        let written = folder.written();
        if !written.is_empty() {
            return Err(TestCaseError::fail(format!("in {}: {line}\nwrote {written:?}", folder.name)));
        }
        Ok(())
    });
    if let Err(TestError::Fail(reason, (_, line))) = &result {
        panic!("a canary was read, or a file was written, by `{line}`\n{reason}");
    }
    result.unwrap();
    done.into_iter().map(Cell::into_inner).collect()
}

#[test]
fn no_command_line_reads_what_may_not_be_read() {
    let done = attack(2_000);
    // If the tools refused all lines, this test would test nothing.
    for (folder, done) in FOLDERS.iter().zip(done).filter(|(folder, _)| !folder.is_refused) {
        assert!(done >= 8, "only {done} commands ran in {}", folder.name);
    }
}

#[test]
#[ignore = "takes an hour: for the nightly run"]
fn no_command_line_of_many_more_reads_what_may_not_be_read() {
    attack(100_000);
}

/// All attacks that once worked.
#[test]
fn attacks_that_are_known_fail() {
    let runtime = Runtime::new().unwrap();
    for folder in FOLDERS.iter() {
        for line in lines::KNOWN {
            let line = folder.fill(line);
            let report = runtime.block_on(folder.tools.call("run_command", &json!({ "command": line })));
            assert!(!report.text.contains(CANARY), "in {}: {line}\n{}", folder.name, report.text);
        }
        assert_eq!(folder.written(), Vec::<PathBuf>::new(), "in {}", folder.name);
        // Ordinary commands still read the permitted files.
        let expected = if folder.is_refused { ToolOutcome::Rejected } else { ToolOutcome::Done };
        let usual =
            ["git status", "git diff", "git log -p", "git show HEAD:src/main.rs", "git blame src/main.rs"];
        for line in usual {
            let report = runtime.block_on(folder.tools.call("run_command", &json!({ "command": line })));
            assert_eq!(report.outcome, expected, "in {}: {line}: {}", folder.name, report.text);
            if expected == ToolOutcome::Done {
                assert!(report.text.ends_with("(exit 0)"), "in {}: {line}: {}", folder.name, report.text);
            }
        }
    }
}
