//! What commands leave behind, found by its mark.
#![cfg(target_os = "linux")]

mod common;

use std::future::pending;

use common::{Fifo, left_behind, process, run, soon};
use loop_agents::process::{Custody, RUN_VARIABLE, sweep};

#[tokio::test]
async fn what_carries_the_mark_is_gone_at_the_end_of_the_run() {
    let (fifo, custody) = (Fifo::new(), Custody::new("run-of-this-test"));
    let gone = fifo.held_until_end();
    let finished = run(left_behind(&fifo).custody(custody.clone())).await;
    assert!(finished.exit.success() && finished.survivors.is_empty());
    assert!(custody.end().is_empty());
    soon(gone, "the end of what was marked").await;
    let said = run(process(&format!("echo ${RUN_VARIABLE}")).custody(custody)).await;
    assert_eq!(said.stdout.to_bytes(), b"run-of-this-test\n");
}

#[tokio::test]
async fn dropping_the_last_clone_is_an_end_too() {
    let fifo = Fifo::new();
    let gone = fifo.held_until_end();
    let custody = Custody::new("another-run-of-this-test");
    let process = left_behind(&fifo).custody(custody.clone());
    drop(custody);
    process.run(pending(), |_, _| {}).await.unwrap();
    drop(process);
    soon(gone, "the end of what was marked").await;
}

#[tokio::test]
async fn what_is_left_of_a_dead_run_is_found_named_and_ended() {
    let fifo = Fifo::new();
    let gone = fifo.held_until_end();
    // Nobody's custody: the run's own process died, and its guardian too.
    let orphan = left_behind(&fifo).also_env([(RUN_VARIABLE, "a-dead-run-of-this-test")]);
    run(orphan).await;
    let swept = sweep(&["another-dead-run", "a-dead-run-of-this-test"]);
    // The shell may not have come to its `sleep`.
    let named = swept.iter().all(|swept| ["sh", "sleep"].contains(&swept.name.as_str()));
    assert!(named && !swept.is_empty(), "{swept:?}");
    assert!(swept.iter().all(|swept| swept.ended), "{swept:?}");
    soon(gone, "the end of what was left").await;
    assert_eq!(sweep(&["another-dead-run", "a-dead-run-of-this-test"]), []);
}
