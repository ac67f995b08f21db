//! Runs with a journal: when and in which order they record, and what happens if recording fails.

use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering},
};

use loop_core::{
    BoxError, BuildError, EvaluationContext, Event, EventKind, IterationContext, Journal, JournalSync, Loop,
    Progress, StopReason, Usage, Usd, Verdict, async_trait, evaluator_fn, evaluator_passed, iteration_fn,
};

use crate::test_parts::{Endless, cents, is_set, ms, never, sleeper, timed};

/// A call of the journal.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    Event(Event),
    Output(u64),
    Synced,
    /// A part that was called.
    Called(&'static str),
}

/// Keeps everything, and fails at the nth writing call. Later calls would succeed, after a gap.
#[derive(Clone, Default)]
struct Memory {
    told: Arc<Mutex<Vec<Told>>>,
    calls_left: Option<Arc<AtomicU64>>,
    /// Whether it holds events in memory until they are synced.
    is_buffering: bool,
}

impl Memory {
    fn failing_after(calls: u64) -> Self {
        Self { calls_left: Some(Arc::new(AtomicU64::new(calls))), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Told>> {
        self.told.lock().expect("nobody panicked with it")
    }

    fn told(&self) -> Vec<Told> {
        self.lock().clone()
    }

    fn events(&self) -> Vec<Event> {
        let event = |told| if let Told::Event(event) = told { Some(event) } else { None };
        self.told().into_iter().filter_map(event).collect()
    }

    fn call(&self) -> Result<(), BoxError> {
        let Some(left) = &self.calls_left else { return Ok(()) };
        match left.fetch_sub(1, Ordering::SeqCst) {
            0 => Err("no space left: free some, then resume".into()),
            _ => Ok(()),
        }
    }
}

impl Journal<u64> for Memory {
    fn append(&mut self, events: &[Event], output: Option<&u64>) -> Result<(), BoxError> {
        self.call()?;
        let mut told = self.lock();
        told.extend(events.iter().cloned().map(Told::Event));
        told.extend(output.map(|output| Told::Output(*output)));
        Ok(())
    }

    fn sync(&mut self) -> JournalSync {
        let journal = self.clone();
        Box::pin(async move {
            // It takes time, as a disk does.
            tokio::time::sleep(ms(1)).await;
            journal.call()?;
            journal.lock().push(Told::Synced);
            Ok(())
        })
    }

    fn is_buffering(&self) -> bool {
        self.is_buffering && self.told().last() != Some(&Told::Synced)
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
        self.events().iter().for_each(each);
        let output = |told: &Told| if let Told::Output(output) = told { Some(*output) } else { None };
        Ok(self.told().iter().rev().find_map(output))
    }
}

fn names(told: &[Told]) -> Vec<String> {
    let name = |told: &Told| match told {
        Told::Event(event) => {
            let json = serde_json::to_value(&event.kind).expect("an event is written");
            let fields = json.as_object().expect("an object");
            fields.keys().next().expect("its name").clone()
        }
        Told::Output(output) => format!("output {output}"),
        Told::Synced => "SYNC".into(),
        Told::Called(part) => (*part).into(),
    };
    told.iter().map(name).collect()
}

fn judge() -> impl loop_core::Evaluator<u64> {
    evaluator_fn(async |cx: EvaluationContext<u64>| {
        Ok(if *cx.output() == 20 { Verdict::pass() } else { Verdict::fail() })
    })
}

fn agent() -> impl loop_core::Iteration<Output = u64> {
    iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration() * 10))
}

#[tokio::test(start_paused = true)]
async fn syncs_overlap_with_work_but_a_settled_step_is_synced_before_the_next_iteration() {
    let journal = Memory::default();
    let (at_agent, at_judge) = (journal.clone(), journal.clone());
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        at_agent.lock().push(Told::Called("AGENT"));
        async move {
            tokio::time::sleep(ms(5)).await;
            Ok(cx.iteration() * 10)
        }
    });
    let judge = evaluator_fn(move |cx: EvaluationContext<u64>| {
        at_judge.lock().push(Told::Called("JUDGE"));
        async move {
            tokio::time::sleep(ms(5)).await;
            Ok(if *cx.output() == 20 { Verdict::pass() } else { Verdict::fail() })
        }
    });
    let run = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(9);
    let report = run.journal(journal.clone()).run().await.unwrap();
    let expected = [
        "run_started",
        "iteration_started",
        "AGENT",
        "SYNC",
        "iteration_finished",
        "evaluation_started",
        "output 10",
        "JUDGE",
        "SYNC",
        "evaluation_finished",
        "step_settled",
        "iteration_started",
        "SYNC",
        "AGENT",
        "iteration_finished",
        "evaluation_started",
        "output 20",
        "JUDGE",
        "SYNC",
        "evaluation_finished",
        "step_settled",
        "run_finished",
        "SYNC",
    ];
    assert_eq!(names(&journal.told()), expected);
    // Of the four syncs, the run waited only for one between two iterations.
    assert_eq!(report.elapsed(), ms(21));
}

#[tokio::test(start_paused = true)]
async fn nothing_starts_while_a_journal_holds_events_in_memory() {
    let journal = Memory { is_buffering: true, ..Memory::default() };
    let (at_agent, at_judge) = (journal.clone(), journal.clone());
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        assert!(!at_agent.is_buffering());
        async move { Ok(cx.iteration() * 10) }
    });
    let judge = evaluator_fn(move |cx: EvaluationContext<u64>| {
        assert!(!at_judge.is_buffering());
        async move { Ok(if *cx.output() == 20 { Verdict::pass() } else { Verdict::fail() }) }
    });
    let run = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(9).journal(journal);
    assert!(run.run().await.unwrap().is_success());
}

#[tokio::test(start_paused = true)]
async fn money_is_recorded_while_it_is_spent() {
    let journal = Memory::default();
    let told = journal.clone();
    let agent = iteration_fn(move |cx: IterationContext<u64>| {
        let told = told.clone();
        async move {
            cx.meter().add(cents(3));
            tokio::time::sleep(ms(500)).await;
            let progress = Progress::from_events(&told.events()).expect("a history");
            Ok(progress.usage().cost.map_or(0, |cost| cost.usd.as_micros()))
        }
    });
    let report = Loop::new(agent).until(never()).at_most(1).journal(journal).run().await.unwrap();
    assert_eq!(report.output(), Some(&Usd::micros(30_000).as_micros()));
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_fails_anywhere_ends_the_run_and_nothing_more_starts() {
    let whole = Memory::default();
    let run = |journal: Memory, begun: Arc<AtomicU64>| {
        let agent = iteration_fn(move |cx: IterationContext<u64>| {
            begun.fetch_add(1, Ordering::SeqCst);
            let iteration = cx.iteration();
            async move { Ok(iteration * 10) }
        });
        Loop::new(agent).evaluate(judge()).until(evaluator_passed()).at_most(9).journal(journal)
    };
    run(whole.clone(), Arc::default()).run().await.unwrap();
    let whole = whole.events();
    for calls in 0..11 {
        let (journal, begun) = (Memory::failing_after(calls), Arc::new(AtomicU64::new(0)));
        let report = run(journal.clone(), Arc::clone(&begun)).run().await.unwrap();
        let kept = journal.events();
        let why = report.unrecorded().unwrap_or_else(|| panic!("it failed after {calls} calls"));
        assert_eq!(why, "no space left: free some, then resume");
        if !report.is_success() {
            assert_eq!(report.reason(), Some(&StopReason::Failed), "after {calls} calls");
            assert!(report.ending().message().contains(why), "{}", report.ending());
        }
        let kinds = |events: &[Event]| events.iter().map(|event| event.kind.clone()).collect::<Vec<_>>();
        assert_eq!(kinds(&kept), kinds(&whole[..kept.len()]), "a beginning, after {calls} calls");
        let started = |event: &&Event| matches!(event.kind, EventKind::IterationStarted { .. });
        let recorded = kept.iter().filter(started).count() as u64;
        // An iteration whose start is recorded begins, unless a step before it cannot be synced.
        assert!([recorded, recorded.saturating_sub(1)].contains(&begun.load(Ordering::SeqCst)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_cannot_be_recorded_is_not_waited_out() {
    // The iteration is recorded. The wait is then not recorded, or a sync fails during the wait.
    for calls in [2, 3, 4] {
        let journal = Memory::failing_after(calls);
        let run = Loop::new(agent()).until(never()).at_most(3).pace(ms(1_000)).journal(journal.clone());
        let (took, report) = timed(run.run()).await;
        assert_eq!(report.unwrap().reason(), Some(&StopReason::Failed));
        assert!(took < ms(1_000), "{took:?} after {calls} calls: {:?}", names(&journal.told()));
        let waits = |event: &Event| matches!(event.kind, EventKind::WaitStarted { .. });
        assert_eq!(journal.events().iter().any(waits), calls > 2);
    }
}

#[tokio::test(start_paused = true)]
async fn work_is_cut_when_its_spending_cannot_be_recorded() {
    struct Spender(Endless);
    #[async_trait]
    impl loop_core::Iteration for Spender {
        type Output = u64;
        async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, loop_core::WorkError> {
            tokio::time::sleep(ms(100)).await;
            cx.meter().add(Usage::unknown().with_tokens(1, 1));
            self.0.run(cx).await
        }
    }
    let (endless, dropped) = Endless::new();
    // The first batch and its sync succeed.
    let run = Loop::new(Spender(endless)).until(never()).at_most(3).journal(Memory::failing_after(2));
    let report = run.run().await.unwrap();
    assert!(is_set(&dropped));
    assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::Failed), 1));
    assert_eq!(report.usage().tokens(), Some(2));
}

#[tokio::test(start_paused = true)]
async fn work_is_cut_when_a_sync_fails_beside_it() {
    let (endless, dropped) = Endless::new();
    // The first batch succeeds, and its sync fails while the iteration works.
    let run = Loop::new(endless).until(never()).at_most_for(ms(60_000)).grace(ms(5));
    let (took, report) = timed(run.journal(Memory::failing_after(1)).run()).await;
    assert!(is_set(&dropped));
    // The sync takes 1 ms, and the grace time 5 ms.
    assert_eq!((took, report.unwrap().reason()), (ms(6), Some(&StopReason::Failed)));
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_from_its_journal_and_in_it() {
    let journal = Memory::default();
    let first = Loop::new(agent()).until(never()).at_most(2).journal(journal.clone()).run().await.unwrap();
    assert_eq!(first.iterations(), 2);
    let more = Loop::new(agent()).until(never()).at_most(4).resume_from(journal.clone());
    let report = more.run().await.unwrap();
    assert_eq!(report.iterations(), 4);
    assert_eq!(report.progress(), &Progress::from_events(&journal.events()).expect("a history"));
}

#[tokio::test(start_paused = true)]
async fn an_empty_journal_begins_a_run_and_a_used_one_no_second() {
    let journal = Memory::default();
    let begin = Loop::new(agent()).until(never()).at_most(1).resume_from(journal.clone());
    assert_eq!(begin.run().await.unwrap().iterations(), 1);
    let again = || Loop::new(agent()).until(never()).at_most(1);
    let used = again().journal(journal.clone()).run().await.unwrap_err();
    assert_eq!(used, BuildError::JournalUsed);
    let both = again().resume(journal.events(), Some(10)).journal(journal.clone()).run().await.unwrap_err();
    assert_eq!(both, BuildError::TwoHistories);
    // The last one does not win silently either.
    let other = Memory::default();
    let both = again().resume_from(journal.clone()).journal(other.clone()).run().await.unwrap_err();
    assert_eq!(both, BuildError::TwoHistories);
    let both = again().resume(journal.events(), Some(10)).resume_from(other).run().await.unwrap_err();
    assert_eq!(both, BuildError::TwoHistories);
}

/// Syncs this many times, and then hangs forever.
struct Hanging(u64);

impl Journal<u64> for Hanging {
    fn append(&mut self, _: &[Event], _: Option<&u64>) -> Result<(), BoxError> {
        Ok(())
    }
    fn sync(&mut self) -> JournalSync {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        match left {
            Some(_) => Box::pin(async { Ok(()) }),
            None => Box::pin(std::future::pending()),
        }
    }
    fn load(&mut self, _: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
        Ok(None)
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_hangs_holds_up_neither_a_cancellation_nor_a_deadline() {
    // It hangs in the first iteration, in a wait, and at the end.
    for syncs in [0, 1, 3] {
        let run = || Loop::new(agent()).until(never()).at_most(2).pace(ms(5)).journal(Hanging(syncs));
        let cancelled = run().at_most_for(ms(3_600_000)).spawn().unwrap();
        tokio::time::sleep(ms(10)).await;
        cancelled.cancel();
        let (took, report) = timed(cancelled.join()).await;
        assert_eq!(took, ms(30_000), "after {syncs} syncs");
        let reason = if syncs == 3 { StopReason::MaxIterations } else { StopReason::Cancelled };
        assert_eq!(report.reason(), Some(&reason));
        assert!(report.unrecorded().expect("its end is lost").contains("was not synced"));

        let (took, report) = timed(run().at_most_for(ms(100)).run()).await;
        let reason = if syncs == 3 { StopReason::MaxIterations } else { StopReason::Failed };
        assert_eq!((took, report.unwrap().reason()), (ms(30_100), Some(&reason)), "after {syncs} syncs");
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_be_read_begins_nothing() {
    struct Damaged;
    impl Journal<u64> for Damaged {
        fn append(&mut self, _: &[Event], _: Option<&u64>) -> Result<(), BoxError> {
            panic!("nothing is to be written")
        }
        fn sync(&mut self) -> JournalSync {
            Box::pin(async { Ok(()) })
        }
        fn load(&mut self, _: &mut dyn FnMut(&Event)) -> Result<Option<u64>, BoxError> {
            Err("line 7 is damaged".into())
        }
    }
    let run = Loop::new(sleeper(ms(1))).until(never()).at_most(1).resume_from(Damaged);
    let error = run.run().await.unwrap_err();
    assert_eq!(error.to_string(), "the run's journal cannot be used: line 7 is damaged");
}
