//! Chains: the order of their parts, their gates, and what a pass passes on.

use std::sync::{Arc, Mutex};

use loop_core::{
    BoxError, CancellationToken, Chain, EvaluationContext, Evaluator, Event, Iteration, IterationContext,
    Journal, JournalSync, Loop, Report, Step, StopReason, Verdict, Work, WorkError, condition_fn,
    evaluator_fn, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{SharedJournal, cents, ms};

/// Appends its name to the input.
fn part(name: &'static str) -> impl Iteration<Output = String> {
    iteration_fn(move |cx: IterationContext<String>| async move {
        cx.meter().add(cents(1));
        cx.mark("part", name.len() as u64);
        Ok(format!("{}{name}", cx.last_output().cloned().unwrap_or_default()))
    })
}

/// Passes unless the output ends with this text.
fn gate(refused: &'static str) -> impl Evaluator<String> {
    evaluator_fn(move |cx: EvaluationContext<String>| async move {
        cx.meter().add(cents(2));
        match cx.output().ends_with(refused) {
            true => Ok(Verdict::fail().with_feedback("not this")),
            false => Ok(Verdict::pass()),
        }
    })
}

async fn run(chain: Chain<String>, passes: u64) -> Report<String> {
    let done = condition_fn(move |step: &Step<String>, _| step.iteration() == passes);
    Loop::new(chain).until(done).at_most(passes).run().await.expect("it is built")
}

#[tokio::test(start_paused = true)]
async fn each_part_gets_the_output_of_the_one_before_and_the_first_that_of_the_last_pass() {
    let report = run(Chain::new().then(part("a")).gate(gate("x")).then(part("b")), 2).await;
    assert_eq!(report.output().map(String::as_str), Some("abab"));
    assert_eq!((report.iterations(), report.usage()), (2, &cents(8)));
    assert_eq!(report.progress().unchanged("part"), Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_does_not_pass_fails_the_pass_and_no_later_part_runs() {
    let report = run(Chain::new().then(part("a")).gate(gate("a")).then(part("b")), 1).await;
    let step = report.last_step().unwrap();
    assert_eq!(step.failure(), Some("part 1 of the chain did not pass its gate: not this"));
    assert_eq!(report.usage(), &cents(3));
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_is_named() {
    let broken = iteration_fn(async |_: IterationContext<String>| Err(WorkError::failed("no route")));
    let report = run(Chain::new().then(part("a")).then(broken).then(part("b")), 1).await;
    assert_eq!(report.last_step().unwrap().failure(), Some("part 2 of the chain failed: no route"));
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_a_part_counts_for_the_pass_and_the_next_part_runs() {
    let faulty = iteration_fn(async |cx: IterationContext<String>| {
        cx.fault("exit code 1");
        Ok("f".to_owned())
    });
    let report = run(Chain::new().then(faulty).then(part("b")), 1).await;
    let step = report.last_step().unwrap();
    assert_eq!((step.output().map(String::as_str), step.fault()), (Some("fb"), Some("exit code 1")));
}

#[tokio::test(start_paused = true)]
async fn a_part_sees_the_verdict_of_the_gate_before_it_and_the_index_of_the_pass() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    let last = iteration_fn(move |cx: IterationContext<String>| {
        let passed = cx.previous().and_then(|step| step.verdict()).map(Verdict::passed);
        shown.lock().expect("no panic").push((cx.iteration(), passed));
        async { Ok("last".to_owned()) }
    });
    run(Chain::new().then(part("a")).gate(gate("x")).then(last), 2).await;
    assert_eq!(*seen.lock().unwrap(), [(1, Some(true)), (2, Some(true))]);
}

#[tokio::test(start_paused = true)]
async fn a_chain_without_parts_halts_its_loop() {
    for chain in [Chain::new(), Chain::default().gate(gate("x")).then(part("a"))] {
        let report = run(chain, 3).await;
        assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::Failed), 1));
        assert!(report.ending().message().contains("call `then` first"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_be_opened_halts_its_loop() {
    let chain = Chain::new().then(part("a"));
    let refuse = |_| Err::<SharedJournal<String>, BoxError>("no such folder".into());
    let report = run(chain.record(refuse), 3).await;
    let told = "failed: the journal of pass 1 of the chain cannot be used: no such folder";
    assert_eq!(report.ending().to_string(), told);
}

/// A recorded pass, whose last event cannot be read if there is an error.
struct Recorded(Vec<Event>, Option<&'static str>);

impl Journal<String> for Recorded {
    fn append(&mut self, _: &[Event], _: Option<&String>) -> Result<(), BoxError> {
        Ok(())
    }
    fn sync(&mut self) -> JournalSync {
        Box::pin(async { Ok(()) })
    }
    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<String>, BoxError> {
        self.0.iter().for_each(each);
        self.1.map_or(Ok(None), |error| Err(error.into()))
    }
}

/// The pass may have to continue, so the next one must not begin instead of it.
#[tokio::test(start_paused = true)]
async fn a_pass_does_not_begin_if_the_one_before_cannot_be_read() {
    let journal = SharedJournal::new();
    let kept = journal.clone();
    run(Chain::new().then(part("a")).record(move |_| Ok(kept.clone())), 1).await;
    let events = journal.events();
    let second = async |first: &[Event], error| {
        let first = first.to_vec();
        let record = move |pass| match pass {
            1 => Ok(Recorded(first.clone(), error)),
            2 => Ok(Recorded(Vec::new(), None)),
            _ => panic!("there is no pass {pass}"),
        };
        let mut chain = Chain::new().then(part("b")).record(record);
        chain.run(IterationContext::new(&Work::new(), 2)).await.map_err(|error| error.to_string())
    };
    assert_eq!(second(&events, None).await, Ok("b".to_owned()));
    let told = "failed: the journal of pass 1 of the chain cannot be used: ";
    let unreadable = second(&events, Some("line 7 is damaged")).await;
    assert_eq!(unreadable, Err(format!("{told}line 7 is damaged")));
    let damaged = second(&events[1..], None).await.unwrap_err();
    assert!(damaged.starts_with(told), "{damaged}");
}

/// After a cancellation the index of the pass is used up, and the next one continues the pass.
#[tokio::test(start_paused = true)]
async fn a_cancelled_pass_continues_at_its_cut_part() {
    let (outer, runs) = (SharedJournal::new(), Arc::new(Mutex::new(Vec::new())));
    let journals = [SharedJournal::<String>::new(), SharedJournal::new()];
    let begin = |token: CancellationToken| {
        let slow = |name: &'static str| {
            let runs = Arc::clone(&runs);
            iteration_fn(move |cx: IterationContext<String>| {
                runs.lock().expect("no panic").push(name);
                async move {
                    sleep(ms(10)).await;
                    Ok(format!("{}{name}", cx.last_output().cloned().unwrap_or_default()))
                }
            })
        };
        let journals = journals.clone();
        let chain = Chain::new().then(slow("a")).then(slow("b")).then(slow("c"));
        let chain = chain.record(move |pass| Ok(journals[pass as usize - 1].clone()));
        let done = condition_fn(|step: &Step<String>, _| step.output().is_some());
        Loop::new(chain).until(done).at_most(2).grace(ms(0)).cancel_on(token).resume_from(outer.clone()).run()
    };
    let token = CancellationToken::new();
    let cancel = token.clone();
    tokio::spawn(async move {
        sleep(ms(15)).await;
        cancel.cancel();
    });
    assert_eq!(begin(token).await.unwrap().reason(), Some(&StopReason::Cancelled));
    let report = begin(CancellationToken::new()).await.unwrap();
    assert_eq!((report.iterations(), report.output().map(String::as_str)), (2, Some("abc")));
    assert_eq!(*runs.lock().unwrap(), ["a", "b", "b", "c"]);
}
