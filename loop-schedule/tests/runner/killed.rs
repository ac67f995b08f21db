//! The firing process is killed in the middle of a run, and another takes over.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
};

use jiff::Timestamp;
use loop_schedule::{
    Delivery, DeliveryContext, FileStore, Fire, FireStage, Runner, RunnerNotice, async_trait,
};
use tokio_util::sync::CancellationToken;

use crate::disk::{request_fire, run, store};

const FOLDER: &str = "LOOP_SCHEDULE_TEST_FOLDER";

/// Reports that it has begun, and never ends by itself.
struct EndlessDelivery;

#[async_trait]
impl Delivery for EndlessDelivery {
    async fn deliver(&self, fire: Fire, work: DeliveryContext) {
        assert!(work.started().await.unwrap());
        let mut out = io::stdout();
        writeln!(out, "\nbegan {}", fire.number).unwrap();
        work.cancelled().cancelled().await;
    }
}

/// This is not a test of its own, but the process that is killed.
#[tokio::test]
#[ignore = "the other process of `the_next_process_tells_of_the_run_and_goes_on`"]
async fn fires_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let runner = Runner::new(FileStore::at(folder), EndlessDelivery, Timestamp::now);
    let cancel = CancellationToken::new();
    let parent_is_gone = cancel.clone();
    std::thread::spawn(move || {
        let _ = io::stdin().read(&mut [0]);
        parent_is_gone.cancel();
    });
    runner.run(cancel).await.unwrap();
}

#[tokio::test]
async fn the_next_process_tells_of_the_run_and_goes_on() {
    let (_folder, store) = store();
    request_fire(&store);
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "killed::fires_until_it_is_killed"])
        .env(FOLDER, store.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).find(|line| line.starts_with("began "));
    assert_eq!(said.as_deref(), Some("began 1"));

    let mut next = run(&store, 9);
    request_fire(&store);
    child.kill().unwrap();
    child.wait().unwrap();
    let unfinished = next.notice(|notice| matches!(notice, RunnerNotice::Unfinished { .. })).await;
    let RunnerNotice::Unfinished { fire, .. } = unfinished else { panic!("it is") };
    assert_eq!((fire.number, fire.stage()), (1, FireStage::Started));
    assert_eq!(next.fire().await.number, 2);
    next.end().await;
}
