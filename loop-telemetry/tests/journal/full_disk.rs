//! A disk that is full while a run goes on, by the system's limit on the size of files.

use std::process::Command;

use loop_core::{EventKind, Progress, StopReason};

use crate::world::{Turn, World, create, ending, open, read, run, settled};

const WORLD: World = World { turns: Vec::new(), goal: 9 };

fn world() -> World {
    World { turns: vec![Turn::Makes(300), Turn::Notes(1)], ..WORLD }
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    // The signal for a file that grows too large would kill the process; without it the write fails.
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
    // With room again, it goes on where it was.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(run(&world(), open(&run_folder), usize::MAX));
    let whole = folder.path().join("whole");
    runtime.block_on(run(&world(), create(&whole), usize::MAX));
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
    let ran = runtime.block_on(run(&world(), create(&folder), usize::MAX));
    let report = ran.report.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::Failed));
    let message = &report.ending().message();
    assert!(message.contains("events.jsonl cannot be written"), "{message}");
    assert!(message.contains("space on the disk") && message.contains("File too large"), "{message}");
    // What was begun was recorded as begun.
    let started = |event: &&loop_core::Event| matches!(event.kind, EventKind::IterationStarted { .. });
    let recorded = read(&folder).iter().filter(started).count();
    assert!(ran.begun.len() <= recorded, "{} of {recorded}", ran.begun.len());
}
