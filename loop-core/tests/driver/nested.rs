//! Loops within loops: what leaves the inner one, and where it continues.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use loop_core::{
    BuildError, CancellationToken, Decision, EvaluationContext, EventKind, Halt, Iteration, IterationContext,
    Loop, MAX_DEPTH, Question, Report, StopReason, Verdict, WorkError, WorkResult, condition_fn,
    evaluator_fn, evaluator_passed, guardrail_fn, iteration_fn,
};
use tokio::time::sleep;

use crate::test_parts::{Budget, SharedJournal, cents, ms, never, sleeper, timed};

/// Runs an outer loop of up to three iterations, each of which runs this loop.
async fn outer<F, Fut>(run: F) -> Report<u64>
where
    F: FnMut(IterationContext<u64>) -> Fut + Send,
    Fut: Future<Output = Result<u64, WorkError>> + Send,
{
    let done = condition_fn(|step: &loop_core::Step<u64>, _| step.output().is_some());
    Loop::new(iteration_fn(run)).until(done).at_most(3).run().await.expect("it is built")
}

#[tokio::test(start_paused = true)]
async fn its_own_limit_is_a_result() {
    let report = outer(async |cx: IterationContext<u64>| {
        let run = Loop::new(sleeper(ms(10))).until(never()).at_most(9).at_most_for(ms(25));
        let report = run.run_within(&cx).await?;
        assert_eq!(report.reason(), Some(&StopReason::TimeExceeded));
        Ok(report.iterations())
    });
    assert_eq!(report.await.output(), Some(&3));
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_the_outer_loop_ends_both_and_the_outer_guardrail_is_named() {
    let spender = || {
        iteration_fn(async |cx: IterationContext<u64>| {
            sleep(ms(10)).await;
            cx.meter().add(cents(4));
            cx.cancelled().await;
            Ok(1)
        })
    };
    let within = iteration_fn(async |cx: IterationContext<u64>| {
        let report = Loop::new(spender()).until(never()).at_most(9).run_within(&cx).await?;
        Ok(report.iterations())
    });
    for overrun in [0, 50] {
        let run = Loop::new(within.clone()).until(never()).at_most(3).guard(Budget::cents(4));
        let (took, report) = timed(run.overrun(ms(overrun)).run()).await;
        let report = report.unwrap();
        assert_eq!(report.ending().guardrail(), Some("budget"));
        assert_eq!((took, report.usage()), (ms(10 + overrun), &cents(4)));
    }
}

/// Otherwise the guardrail would end the outer loop too.
#[tokio::test(start_paused = true)]
async fn no_guardrail_may_have_the_name_of_the_outer_limits() {
    let guard = guardrail_fn("outer_loop", |_| Decision::Halt(Halt::new(StopReason::custom("mine"), "")));
    let run = Loop::new(sleeper(ms(10))).until(never()).at_most(3).guard(guard).run().await;
    assert_eq!(run.expect_err("a reserved name"), BuildError::ReservedName);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_of_the_outer_loop_reaches_the_inner_one() {
    let token = CancellationToken::new();
    let cancel = token.clone();
    tokio::spawn(async move {
        sleep(ms(15)).await;
        cancel.cancel();
    });
    let seen = Arc::new(Mutex::new(None));
    let shown = Arc::clone(&seen);
    let within = iteration_fn(move |cx: IterationContext<u64>| {
        let shown = Arc::clone(&shown);
        async move {
            let keep = move |event: &loop_core::Event, _: &_| {
                if let EventKind::RunFinished { ending } = &event.kind {
                    *shown.lock().expect("no panic") = ending.reason().cloned();
                }
            };
            let run = Loop::new(sleeper(ms(10))).until(never()).at_most(9).observe(keep);
            Ok(run.grace(ms(0)).run_within(&cx).await?.iterations())
        }
    });
    let run = Loop::new(within).until(never()).at_most(3).cancel_on(token).run();
    let (took, report) = timed(run).await;
    assert_eq!((took, report.unwrap().reason()), (ms(15), Some(&StopReason::Cancelled)));
    assert_eq!(*seen.lock().unwrap(), Some(StopReason::Cancelled));
}

/// Ends the inner loop with this halt. Returns the outer ending, and how often the inner loop ran.
async fn halted(reason: StopReason) -> (Option<StopReason>, u64) {
    let runs = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&runs);
    let agent = move |_: IterationContext<u64>| {
        let halt = Halt::new(reason.clone(), "so");
        async move { Err::<u64, _>(halt.into()) }
    };
    let report = outer(move |cx: IterationContext<u64>| {
        count.fetch_add(1, Ordering::SeqCst);
        let agent = iteration_fn(agent.clone());
        async move {
            let report = Loop::new(agent).until(never()).at_most(9).run_within(&cx).await?;
            assert!(!report.is_success());
            Err(WorkError::failed("it gave up"))
        }
    })
    .await;
    (report.reason().cloned(), runs.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn few_halts_leave_it() {
    for reason in [StopReason::AgentUnavailable, StopReason::EvaluatorUnavailable, StopReason::Failed] {
        assert_eq!(halted(reason.clone()).await, (Some(reason), 1));
    }
    for reason in [StopReason::custom("diverged"), StopReason::BudgetExceeded, StopReason::Stagnated] {
        assert_eq!(halted(reason).await, (Some(StopReason::MaxIterations), 3));
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_without_an_answer_leaves_it_and_a_refusal_does_not() {
    for (answer, ends) in [(None, Some("hitl_checkpoint")), (Some(loop_core::Answer::Stop), None)] {
        struct Person(Option<loop_core::Answer>);
        #[loop_core::async_trait]
        impl loop_core::Ask for Person {
            async fn ask(&mut self, _: &Question, _: &loop_core::Progress) -> Option<loop_core::Answer> {
                self.0.clone()
            }
        }
        let report = outer(move |cx: IterationContext<u64>| {
            let person = Person(answer.clone());
            async move {
                let unanswered = Halt::new(StopReason::HitlCheckpoint, "nobody was there");
                let question = move || Question::new("Go on?", unanswered.clone());
                let asks = guardrail_fn("asks", move |_| Decision::Ask(question()));
                let run = Loop::new(sleeper(ms(1))).until(never()).at_most(3).guard(asks);
                let report = run.on_ask(person).run_within(&cx).await?;
                assert_eq!(report.reason(), Some(&StopReason::Declined));
                Ok(report.iterations())
            }
        })
        .await;
        assert_eq!(report.reason().map(StopReason::as_str), ends);
    }
}

/// Succeeds, except that the iteration with this index is deferred at first.
fn deferred_once(at: u64, runs: &Arc<AtomicU64>) -> impl Iteration<Output = u64> + use<> {
    let (runs, is_deferred) = (Arc::clone(runs), Arc::new(AtomicU64::new(1)));
    iteration_fn(move |cx: IterationContext<u64>| {
        runs.fetch_add(1, Ordering::SeqCst);
        let is_deferred = cx.iteration() == at && is_deferred.swap(0, Ordering::SeqCst) == 1;
        async move { if is_deferred { Err(WorkError::Later { after: ms(500) }) } else { Ok(cx.iteration()) } }
    })
}

/// Runs a loop of three iterations within another. The iteration with this index is deferred once. Returns the
/// deferrals of the outer loop, and the calls of the inner agent.
async fn deferrals(at: u64, journal: Option<SharedJournal<u64>>) -> (usize, u64) {
    let runs = Arc::new(AtomicU64::new(0));
    let agent = Arc::new(tokio::sync::Mutex::new(deferred_once(at, &runs)));
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let within = iteration_fn(move |cx: IterationContext<u64>| {
        let (agent, journal) = (Arc::clone(&agent), journal.clone());
        async move {
            let shared = iteration_fn(move |cx| {
                let agent = Arc::clone(&agent);
                async move { agent.lock().await.run(cx).await }
            });
            let run = Loop::new(shared).until(never()).at_most(3);
            let run = match journal {
                Some(journal) => run.resume_from(journal),
                None => run,
            };
            Ok(run.run_within(&cx).await?.iterations())
        }
    });
    let done = condition_fn(|step: &loop_core::Step<u64>, _| step.output() == Some(&3));
    let keep = move |event: &loop_core::Event, _: &_| seen.lock().expect("no panic").push(event.kind.clone());
    let run = Loop::new(within).until(done).at_most(1).observe(keep).run();
    let (took, report) = timed(run).await;
    assert!(report.expect("a report").is_success());
    assert_eq!(took, ms(500));
    let is_later = |kind: &&EventKind| {
        matches!(kind, EventKind::IterationFinished { result: WorkResult::Later { .. }, .. })
    };
    let deferrals = events.lock().expect("no panic").iter().filter(is_later).count();
    (deferrals, runs.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn a_deferral_leaves_it_unless_it_would_lose_its_progress() {
    assert_eq!(deferrals(1, None).await, (1, 4));
    assert_eq!(deferrals(2, None).await, (0, 4));
    assert_eq!(deferrals(2, Some(SharedJournal::new())).await, (1, 4));
}

/// The outer run would begin the inner one again, and evaluate its first output once more.
#[tokio::test(start_paused = true)]
async fn a_deferral_after_the_first_evaluation_stays_inside() {
    let (tries, evaluations) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let count = Arc::clone(&evaluations);
    let run = outer(move |cx: IterationContext<u64>| {
        let (tries, count) = (Arc::clone(&tries), Arc::clone(&count));
        let agent = iteration_fn(move |_: IterationContext<u64>| {
            let is_deferred = tries.fetch_add(1, Ordering::SeqCst) == 0;
            async move { if is_deferred { Err(WorkError::Later { after: ms(500) }) } else { Ok(3) } }
        });
        let check = evaluator_fn(move |cx: EvaluationContext<u64>| {
            count.fetch_add(1, Ordering::SeqCst);
            async move { Ok(if *cx.output() == 3 { Verdict::pass() } else { Verdict::fail() }) }
        });
        let run = Loop::new(agent).evaluate(check).evaluate_first(0).until(evaluator_passed()).at_most(3);
        async move { Ok(run.run_within(&cx).await?.iterations()) }
    });
    let (took, report) = timed(run).await;
    assert_eq!((took, report.output(), evaluations.load(Ordering::SeqCst)), (ms(500), Some(&1), 2));
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_its_pace_stays_inside() {
    let (journal, begins) = (SharedJournal::new(), Arc::new(AtomicU64::new(0)));
    let count = Arc::clone(&begins);
    let run = outer(move |cx: IterationContext<u64>| {
        count.fetch_add(1, Ordering::SeqCst);
        let run = Loop::new(sleeper(ms(1))).until(never()).at_most(3).pace(ms(10));
        let run = run.resume_from(journal.clone());
        async move { Ok(run.run_within(&cx).await?.iterations()) }
    });
    let (took, report) = timed(run).await;
    assert_eq!((took, report.output(), begins.load(Ordering::SeqCst)), (ms(23), Some(&3), 1));
}

#[tokio::test(start_paused = true)]
async fn a_resumed_outer_run_resumes_the_inner_one_at_its_own_step() {
    let (outer, inner) = (SharedJournal::<u64>::new(), SharedJournal::<u64>::new());
    let runs = Arc::new(Mutex::new(Vec::new()));
    let begin = || {
        let (inner, runs) = (inner.clone(), Arc::clone(&runs));
        let within = iteration_fn(move |cx: IterationContext<u64>| {
            let (inner, runs) = (inner.clone(), Arc::clone(&runs));
            async move {
                let agent = iteration_fn(move |cx: IterationContext<u64>| {
                    runs.lock().expect("no panic").push((cx.iteration(), cx.attempt()));
                    async move {
                        sleep(ms(10)).await;
                        cx.meter().add(cents(1));
                        sleep(ms(10)).await;
                        Ok(cx.iteration())
                    }
                });
                let run = Loop::new(agent).until(never()).at_most(3).resume_from(inner);
                Ok(run.run_within(&cx).await?.iterations())
            }
        });
        let done = condition_fn(|step: &loop_core::Step<u64>, _| step.output() == Some(&3));
        Loop::new(within).until(done).at_most(1).resume_from(outer.clone()).run()
    };
    // It dies in the second iteration of the inner loop, after its report.
    assert!(tokio::time::timeout(ms(35), begin()).await.is_err());
    let report = begin().await.unwrap();
    assert_eq!(*runs.lock().unwrap(), [(1, 1), (2, 1), (2, 2), (3, 1)]);
    assert!(report.is_success());
    assert_eq!(report.usage(), &cents(4));
    // The outer run dies again, before it has recorded the end of the inner one. Nothing runs once more.
    let ended = inner.events();
    let end_of_iteration = |kind: &EventKind| matches!(kind, EventKind::IterationFinished { .. });
    outer.truncate_at(end_of_iteration);
    assert!(begin().await.unwrap().is_success());
    assert_eq!((runs.lock().unwrap().len(), inner.events()), (4, ended));
}

/// A loop that runs itself.
#[derive(Clone)]
struct Recursive(Arc<AtomicU64>);

#[loop_core::async_trait]
impl Iteration for Recursive {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let report = Loop::new(self.clone()).until(never()).at_most(3).run_within(&cx).await?;
        Ok(report.iterations())
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_runs_itself_ends_at_the_greatest_depth() {
    let runs = Arc::new(AtomicU64::new(0));
    let report = Loop::new(Recursive(Arc::clone(&runs))).until(never()).at_most(3).run().await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), u64::from(MAX_DEPTH));
    let told = format!("failed: a nested loop cannot run: {}", BuildError::TooDeep);
    assert_eq!(report.ending().to_string(), told);
    assert!(told.ends_with(
        "more than 8 loops would run within each other: let an outer loop do the work of an inner one"
    ));
}

#[tokio::test(start_paused = true)]
async fn an_evaluator_can_run_a_loop_whose_usage_counts() {
    let judge = evaluator_fn(async |cx: EvaluationContext<u64>| {
        let votes = iteration_fn(async |cx: IterationContext<bool>| {
            cx.meter().add(cents(1));
            Ok(cx.iteration() > 1)
        });
        let run = Loop::new(votes).until(never()).at_most(3).run_within(&cx.part::<()>()).await?;
        Ok(if run.output() == Some(&true) { Verdict::pass() } else { Verdict::fail() })
    });
    let run = Loop::new(sleeper(ms(1))).evaluate(judge).until(loop_core::evaluator_passed()).at_most(2).run();
    let report = run.await.unwrap();
    assert!(report.is_success());
    assert_eq!(report.last_step().unwrap().usage(), &cents(3));
}
