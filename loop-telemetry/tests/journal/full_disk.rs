//! The disk becomes full during a run, simulated by the system's limit on file size.

use std::process::Command;

use loop_core::{EventKind, Progress, StopReason};

use crate::scenario::{Scenario, ScriptedStep, create, ending, open, read, run, settled};

const WORLD: Scenario = Scenario { turns: Vec::new(), goal: 9 };

fn scenario() -> Scenario {
    Scenario { turns: vec![ScriptedStep::Makes(300), ScriptedStep::Notes(1)], ..WORLD }
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    // Without this trap, the signal for a file that is too large would kill the process instead of failing the write.
    let child = Command::new("sh")
        .args([
            "-c",
            r#"trap '' XFSZ; ulimit -f 8; exec "$0" --ignored --exact full_disk::a_process_with_a_full_disk"#,
        ])
        .arg(std::env::current_exe().unwrap())
        .env("JOURNAL_TEST_RUN", &run_folder)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));

    let before = read(&run_folder);
    let known = Progress::from_events(&before).expect("a history");
    assert!(known.iterations() > 0 && known.ending().is_none());
    // With free space again, the run continues.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(run(&scenario(), open(&run_folder), usize::MAX));
    let whole = folder.path().join("whole");
    runtime.block_on(run(&scenario(), create(&whole), usize::MAX));
    let events = read(&run_folder);
    assert_eq!(events[..before.len()], before);
    assert_eq!(settled(&events), settled(&read(&whole)));
    assert_eq!(ending(&events), ending(&read(&whole)));
}

#[test]
#[ignore = "the body of the process in a_full_disk_ends_the_run_and_loses_nothing"]
fn a_process_with_a_full_disk() {
    let Some(folder) = std::env::var_os("JOURNAL_TEST_RUN") else { return };
    let folder = std::path::PathBuf::from(folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let finished = runtime.block_on(run(&scenario(), create(&folder), usize::MAX));
    let report = finished.report.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::Failed));
    let message = &report.ending().message();
    assert!(message.contains("events.jsonl cannot be written"), "{message}");
    assert!(message.contains("the disk has space") && message.contains("File too large"), "{message}");
    // Every iteration that began was recorded.
    let started = |event: &&loop_core::Event| matches!(event.kind, EventKind::IterationStarted { .. });
    let recorded = read(&folder).iter().filter(started).count();
    assert!(finished.begun.len() <= recorded, "{} of {recorded}", finished.begun.len());
}
