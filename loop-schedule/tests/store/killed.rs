//! The firing process is killed, and another process takes over.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use loop_schedule::FileStore;

const FOLDER: &str = "LOOP_SCHEDULE_TEST_FOLDER";

/// This is not a test of its own, but the process that is killed. It takes the firing lock, reports that, and waits
/// for its end.
#[test]
#[ignore = "the other process of `another_takes_over_when_the_firing_process_is_killed`"]
fn holds_the_firing_lock_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let lock = FileStore::at(folder).try_lock_firing().unwrap();
    let mut out = io::stdout();
    writeln!(out, "\nhas {}", lock.is_some()).unwrap();
    let _ = io::stdin().read(&mut [0]);
}

fn begin(folder: &Path) -> std::process::Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "killed::holds_the_firing_lock_until_it_is_killed"])
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).find(|line| line.starts_with("has "));
    assert_eq!(said.as_deref(), Some("has true"));
    child
}

#[test]
fn another_takes_over_when_the_firing_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("project");
    let store = FileStore::at(&folder);
    let mut child = begin(&folder);
    assert!(store.is_firing().unwrap());
    assert!(store.try_lock_firing().unwrap().is_none());

    let (tell, told) = mpsc::channel();
    let waiting = store.clone();
    let waiter = std::thread::spawn(move || tell.send(waiting.lock_firing().unwrap()));
    assert!(told.try_recv().is_err());
    child.kill().unwrap();
    let lock = told.recv_timeout(Duration::from_secs(5)).unwrap();
    child.wait().unwrap();
    waiter.join().unwrap().unwrap();
    assert!(store.try_lock_firing().unwrap().is_none());
    drop(lock);
    assert!(store.try_lock_firing().unwrap().is_some());
}
