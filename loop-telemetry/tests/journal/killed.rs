//! A process is killed at each event of its journal, and another process resumes the run.

use std::{
    env, fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
};

use jiff::Timestamp;
use loop_core::{
    BoxError, EvaluationContext, Event, EventKind, IterationContext, Loop, Progress, Verdict, evaluator_fn,
    evaluator_passed, iteration_fn,
};
use loop_telemetry::FileJournal;

use crate::scenario::{ending, read, settled};

const RUN: &str = "JOURNAL_TEST_KILLED_RUN";
const EVENTS: &str = "JOURNAL_TEST_KILLED_AFTER";

/// Runs to the end, or until this number of events is recorded. The agent records its calls in a file.
async fn run(folder: &Path, journal: FileJournal<u64>, mut events_left: usize) {
    let tally = folder.with_extension("tally");
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        let before = fs::read_to_string(&tally).unwrap_or_default();
        let noted = fs::write(&tally, format!("{before}{}\n", cx.iteration()));
        async move { noted.map(|()| cx.iteration()).map_err(loop_core::WorkError::failed) }
    });
    let judge = evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() == 3 { Verdict::pass() } else { Verdict::fail() })
    });
    let run = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(5);
    // Observers see an event after the journal has it.
    let killed = move |_: &Event, _: &Progress| {
        events_left -= 1;
        if events_left == 0 {
            // Abort without cleanup, as a kill would.
            std::process::abort();
        }
    };
    run.observe(killed).resume_from(journal).run().await.unwrap();
}

fn in_a_runtime(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(work);
}

fn child(folder: &Path, events: usize) -> Result<bool, BoxError> {
    let ended = Command::new(env::current_exe()?)
        .args(["--ignored", "--exact", "killed::a_process_that_is_killed"])
        .env(RUN, folder)
        .env(EVENTS, events.to_string())
        .output()?;
    assert!(ended.status.success() || ended.status.signal().is_some(), "{ended:?}");
    Ok(ended.status.success())
}

#[test]
fn a_run_that_is_killed_at_any_boundary_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    assert!(child(&whole, usize::MAX).unwrap());
    let all = read(&whole);
    for events in 1..=all.len() {
        let killed = folder.path().join(format!("killed-{events}"));
        assert!(!child(&killed, events).unwrap());
        let kept = read(&killed);
        // The journal has all events up to the kill, and those that the machine decided together with them.
        assert!(kept.len() >= events, "{} of {events}", kept.len());
        in_a_runtime(run(&killed, FileJournal::open(&killed, Timestamp::now).unwrap(), usize::MAX));
        let after = read(&killed);
        assert_eq!(after[..kept.len()], kept);
        assert_eq!(settled(&after), settled(&all), "killed after {events}");
        assert_eq!(ending(&after), ending(&all), "killed after {events}");
        // The resumed run did not repeat finished work.
        let finished = |event: &&Event| matches!(event.kind, EventKind::IterationFinished { .. });
        let done = kept.iter().filter(finished).count();
        let tally = fs::read_to_string(killed.with_extension("tally")).unwrap();
        for iteration in (1..=3).map(|iteration: usize| iteration.to_string()) {
            let times = tally.lines().filter(|line| *line == iteration).count();
            let once = iteration.parse::<usize>().is_ok_and(|iteration| iteration <= done);
            assert!(
                times == 1 || (times == 2 && !once),
                "{iteration} ran {times} times, killed after {events}"
            );
        }
    }
}

#[test]
#[ignore = "the body of each process in a_run_that_is_killed_at_any_boundary_goes_on"]
fn a_process_that_is_killed() {
    let Some(folder) = env::var_os(RUN).map(PathBuf::from) else { return };
    let events = env::var(EVENTS).unwrap().parse().unwrap();
    in_a_runtime(run(&folder, FileJournal::create(&folder, Timestamp::now).unwrap(), events));
}
