//! Finding processes that commands leave behind by their mark.
#![cfg(target_os = "linux")]

mod common;

use std::{
    fs::{self, File},
    future::{Future, pending, ready},
    io::Read,
    os::unix::process::CommandExt,
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use common::{Fifo, left_behind, process, run, soon};
use loop_agents::process::{Exit, RUN_VARIABLE, Supervisor, sweep};
use tokio::runtime::Builder;

/// A generous limit that only turns a hang into a failure.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn what_carries_the_mark_is_gone_at_the_end_of_the_run() {
    let (fifo, supervisor) = (Fifo::new(), Supervisor::new("run-of-this-test"));
    let gone = fifo.held_until_end();
    let finished = run(left_behind(&fifo).supervisor(supervisor.clone())).await;
    assert!(finished.exit.success() && finished.survivors.is_empty());
    assert!(supervisor.end().is_empty());
    soon(gone, "the end of what was marked").await;
    let said = run(process(&format!("echo ${RUN_VARIABLE}")).supervisor(supervisor)).await;
    assert_eq!(said.stdout.to_bytes(), b"run-of-this-test\n");
}

#[tokio::test]
async fn dropping_the_last_clone_is_an_end_too() {
    let fifo = Fifo::new();
    let gone = fifo.held_until_end();
    let supervisor = Supervisor::new("another-run-of-this-test");
    let process = left_behind(&fifo).supervisor(supervisor.clone());
    drop(supervisor);
    process.run(pending(), |_, _| {}).await.unwrap();
    drop(process);
    soon(gone, "the end of what was marked").await;
}

#[tokio::test]
async fn what_is_left_of_a_dead_run_is_found_named_and_ended() {
    let fifo = Fifo::new();
    let gone = fifo.held_until_end();
    // An orphan without a supervisor: the run's own process is dead, and so is its watchdog.
    let orphan = left_behind(&fifo).also_env([(RUN_VARIABLE, "a-dead-run-of-this-test")]);
    run(orphan).await;
    let swept = sweep(&["another-dead-run", "a-dead-run-of-this-test"]);
    // The shell may not have reached its `sleep` yet.
    let named = swept.iter().all(|swept| ["sh", "sleep"].contains(&swept.name.as_str()));
    assert!(named && !swept.is_empty(), "{swept:?}");
    assert!(swept.iter().all(|swept| swept.ended), "{swept:?}");
    soon(gone, "the end of what was left").await;
    assert_eq!(sweep(&["another-dead-run", "a-dead-run-of-this-test"]), []);
}

/// Returns whether this process has a descriptor of the process with this number.
fn holds(pid: u32) -> bool {
    let held = fs::read_dir("/proc/self/fdinfo").expect("/proc is there").flatten();
    let mut lines = held.filter_map(|file| fs::read_to_string(file.path()).ok());
    lines.any(|text| text.lines().any(|line| line == format!("Pid:\t{pid}")))
}

#[test]
fn a_sweep_waits_for_a_watchdog_that_is_at_work() {
    let fifo = Fifo::new();
    // The run's name is a file's name, so that this program looks like a watchdog and ends when the file is closed.
    let run = fifo.path();
    let mut watchdog = Command::new("cat");
    let mut watchdog = watchdog.arg0("guardian").arg(&run).env(RUN_VARIABLE, &run).spawn().unwrap();
    let pid = watchdog.id();
    // This returns when the program reads the file. From then on its arguments are visible.
    let file = File::create(&run).unwrap();
    let closer = thread::spawn(move || {
        while !holds(pid) {
            thread::yield_now();
        }
        drop(file);
    });
    assert_eq!(sweep(&[&run]), []);
    closer.join().unwrap();
    assert!(watchdog.wait().unwrap().success());
}

/// Runs `test` on an executor with one thread. The only other thread, for blocking work, stays busy until the test
/// sends something. Returns when the runtime is gone.
fn beside_blocked_thread<F: Future<Output = ()>>(test: impl FnOnce(mpsc::Sender<()>) -> F) {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let (release, released) = mpsc::channel();
    drop(runtime.spawn_blocking(move || released.recv()));
    runtime.block_on(test(release));
}

/// Waits for the end of a process that a command left behind, on a thread outside of the runtime.
fn hear_of_end(fifo: &Fifo) -> mpsc::Receiver<()> {
    let (path, (tell, told)) = (fifo.path(), mpsc::channel());
    thread::spawn(move || {
        File::open(path)
            .and_then(|mut fifo| fifo.read_to_end(&mut Vec::new()))
            .expect("the fifo can be read");
        tell.send(())
    });
    told
}

/// Returns whether any live process carries the mark of this run.
fn lives(run: &str) -> bool {
    let mark = format!("{RUN_VARIABLE}={run}\0");
    let processes = fs::read_dir("/proc").expect("/proc is there").flatten();
    let mut environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
    environments.any(|it| it.windows(mark.len()).any(|part| part == mark.as_bytes()))
}

#[test]
fn a_dropped_supervisor_does_not_block_the_executor_and_ends_before_the_runtime_is_gone() {
    let (fifo, run_id) = (Fifo::new(), "a-run-that-is-dropped-on-an-executor");
    let gone = hear_of_end(&fifo);
    beside_blocked_thread(async |release| {
        let process = left_behind(&fifo).supervisor(Supervisor::new(run_id));
        process.run(pending(), |_, _| {}).await.unwrap();
        drop(process);
        // The executor is free again, and the end is still to come. Another task gets its turn.
        assert!(lives(run_id));
        tokio::spawn(async {}).await.unwrap();
        assert!(lives(run_id));
        release.send(()).unwrap();
    });
    assert!(!lives(run_id));
    gone.recv_timeout(SOON).unwrap();
}

#[test]
fn the_end_is_awaited_without_blocking_the_executor() {
    let (fifo, run_id) = (Fifo::new(), "a-run-whose-end-is-awaited");
    let gone = hear_of_end(&fifo);
    beside_blocked_thread(async |release| {
        let supervisor = Supervisor::new(run_id);
        run(left_behind(&fifo).supervisor(supervisor.clone())).await;
        let ending = tokio::spawn(async move { supervisor.end_async().await });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!ending.is_finished() && lives(run_id));
        release.send(()).unwrap();
        assert!(ending.await.unwrap().is_empty());
        assert!(!lives(run_id));
    });
    gone.recv_timeout(SOON).unwrap();
}

#[test]
fn a_run_that_is_cut_while_no_thread_is_free_ends_after_its_grace_time() {
    beside_blocked_thread(async |release| {
        let process = process("exec sleep 1000").grace(Duration::from_millis(10));
        let finished = process.run(ready(()), |_, _| {}).await.unwrap();
        assert_eq!(finished.exit, Exit::Signal(9));
        release.send(()).unwrap();
    });
}

#[test]
fn without_a_runtime_a_dropped_supervisor_is_over_when_the_drop_returns() {
    let (fifo, run_id) = (Fifo::new(), "a-run-that-is-dropped-without-a-runtime");
    let gone = hear_of_end(&fifo);
    let supervisor = Supervisor::new(run_id);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run(left_behind(&fifo).supervisor(supervisor.clone())));
    assert!(lives(run_id));
    drop(supervisor);
    assert!(!lives(run_id));
    gone.recv_timeout(SOON).unwrap();
}
