//! Judges with scripted models, in loops and alone.
#![cfg(feature = "judge")]

use std::{sync::Arc, time::Duration};

use loop_agents::{
    chat::{ModelErrorKind, Reply, ScriptedModel, ToolCall},
    judge::{ConfidenceEvaluator, EvaluatorChain, JudgeEvaluator, VotePolicy},
    shell::{CommandEvaluator, ShellAgent},
};
use loop_core::{
    Cost, EvaluationContext, Evaluator, Loop, Outcome, StopReason, Usage, Usd, Verdict, Work,
    evaluator_passed,
};
use loop_guardrails::MaxCost;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

/// A model's possible vote on one criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    Nothing,
}

fn verdict_of(said: Said) -> Reply {
    let met = match said {
        Said::Nothing => return Reply::text("I would rather not."),
        Said::Yes => true,
        Said::No => false,
    };
    let reason = if met { "it is there" } else { "it is not there" };
    let score = if met { 1.0 } else { 0.25 };
    handed_in(&json!([{ "number": 1, "reason": reason, "score": score, "met": met }]))
}

fn handed_in(criteria: &Value) -> Reply {
    Reply::default().with_call(ToolCall::new("c1", "give_verdict", json!({ "criteria": criteria })))
}

fn scripted(votes: &[Said]) -> ScriptedModel {
    votes.iter().fold(ScriptedModel::new(), |model, said| model.replies(verdict_of(*said)))
}

fn judge(model: ScriptedModel, votes: VotePolicy) -> JudgeEvaluator {
    JudgeEvaluator::new(model, ["It has a title"]).expect("criteria").goal("A report").votes(votes)
}

async fn judged(evaluator: &mut impl Evaluator<String>, output: &str) -> Verdict {
    let cx = EvaluationContext::new(&Work::new(), 1, Arc::new(output.to_owned()));
    evaluator.evaluate(cx).await.expect("a verdict")
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
}

proptest! {
    #[test]
    fn whatever_the_order_of_the_votes_the_decision_is_the_same(
        (needed, said, shuffled) in (1..=7_usize).prop_flat_map(|most| {
            let said = prop_oneof![Just(Said::Yes), Just(Said::No), Just(Said::Nothing)];
            prop::collection::vec(said, most)
        }).prop_flat_map(|said| (1..=said.len(), Just(said.clone()), Just(said).prop_shuffle())),
    ) {
        let votes = VotePolicy::of(u32::try_from(needed).unwrap(), u32::try_from(said.len()).unwrap()).unwrap();
        let outcome = |said: &[Said]| {
            let model = scripted(said);
            let verdict = block_on(judged(&mut judge(model.clone(), votes), "x"));
            (verdict.outcome(), model.requests().len())
        };
        let (first, asked) = outcome(&said);
        prop_assert_eq!(first, outcome(&shuffled).0);
        let yes = said.iter().filter(|said| **said == Said::Yes).count();
        prop_assert_eq!(first == Outcome::Pass, yes >= needed);
        prop_assert!(asked <= said.len());
    }

    #[test]
    fn a_text_without_the_key_is_inconclusive(text in any::<String>(), threshold in 0.0..=1.0_f64) {
        prop_assume!(!text.contains("confidence"));
        let verdict = ConfidenceEvaluator::at_least(threshold).unwrap().judge(&text);
        prop_assert_eq!((verdict.outcome(), verdict.score()), (Outcome::Inconclusive, None));
    }

    #[test]
    fn a_confidence_passes_from_its_threshold_on(said in 0.0..=1.0_f64, threshold in 0.0..=1.0_f64, before in "[^{\\[]*") {
        let verdict = |threshold: f64| {
            ConfidenceEvaluator::at_least(threshold).unwrap().judge(&format!("{before}{{\"confidence\": {said}}}"))
        };
        prop_assert_eq!(verdict(threshold).passed(), said >= threshold);
        prop_assert!(verdict(said).passed());
        prop_assert_eq!(verdict(threshold).score(), Some(said));
    }

    #[test]
    fn what_is_no_confidence_never_passes(value in prop_oneof![
        Just("1.0000001"), Just("-0.1"), Just("\"0.9\""), Just("null"), Just("true"), Just("[1]"), Just("1e400"),
        Just("{\"confidence\": 1}"), Just("NaN"), Just("0.9%"),
    ]) {
        let text = format!("{{\"confidence\": 1}} {{\"confidence\": {value}}}");
        let verdict = ConfidenceEvaluator::at_least(0.0).unwrap().judge(&text);
        prop_assert_eq!(verdict.outcome(), Outcome::Inconclusive, "{}", verdict.text());
    }
}

#[test]
fn a_threshold_is_a_number_from_0_to_1() {
    for wrong in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
        assert!(ConfidenceEvaluator::at_least(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_last_object_has_to_say_it_once_under_its_key() {
    let sure = ConfidenceEvaluator::at_least(0.5).unwrap();
    let mut said = String::new();
    for text in [
        r#"{"answer": 42}"#,
        r#"{"confidence": 0.9} so {"answer": 42}"#,
        r#"{"confidence": 0.9, "confidence": 0.1}"#,
        r#"{"confidence": 0.9, "conf\u0069dence": 0.1}"#,
        r#"{"result": {"confidence": 0.9}}"#,
        r#"{"confidence": 0.9} {"confidence": 0.2, "reason": "he said "no""}"#,
        r#"{"confidence": 0.9} {"confidence": 0.2, "reason": "#,
        r#"{"Confidence": 0.9}"#,
        r#"{"confidence": "high"}"#,
        "CONFIDENCE: 0.9",
        "",
        "{\"confidence\": 0.9}\nError: tests fail",
        "{\"confidence\": 0.9}\nconfidence: 0.1",
    ] {
        let verdict = sure.judge(text);
        assert_eq!(verdict.outcome(), Outcome::Inconclusive, "{text}");
        said.push_str(&format!("{text}\n    {}\n", verdict.text()));
    }
    insta::assert_snapshot!(said);
    for text in [
        "```json\n{\"confidence\": 0.5}\n```",
        "fn main() {}\n{\"confidence\": 1, \"reason\": \"{}\"}\n\n",
        "~~~\n{\"confidence\": 0.5}\n~~~",
    ] {
        assert!(sure.judge(text).passed(), "{text}");
    }
    assert!(sure.clone().key("sure").judge(r#"{"sure": 1}"#).passed());
}

#[tokio::test]
async fn each_vote_is_a_conversation_of_its_own_that_knows_only_the_prompt() {
    let model = scripted(&[Said::Yes, Said::No, Said::Yes]);
    let verdict = judged(&mut judge(model.clone(), VotePolicy::of(2, 3).unwrap()), "The output.").await;
    assert!(verdict.passed());
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for asked in &requests {
        assert_eq!((asked.messages.len(), asked.tools.as_slice()), (1, &["give_verdict".to_owned()][..]));
        assert_eq!(asked.messages, requests[0].messages);
        assert!(asked.messages[0].text().contains("The output."), "{asked:?}");
    }
    assert_eq!(verdict.score(), Some(0.75));
}

#[tokio::test]
async fn the_feedback_says_what_is_missing_and_why() {
    let answers = json!([
        { "number": 1, "reason": "It begins with one.", "score": 1, "met": true },
        { "number": 2, "reason": "Nothing is cited.\nNot even a link.", "score": 0.1, "met": false },
    ]);
    let model =
        ScriptedModel::new().replies(handed_in(&answers)).says("Sorry, no.").replies(handed_in(&answers));
    let criteria = ["It has a title", "It names its sources"];
    let votes = VotePolicy::majority_of(3).unwrap();
    let verdict = judged(&mut JudgeEvaluator::new(model, criteria).unwrap().votes(votes), "# Rust").await;
    assert_eq!(verdict.outcome(), Outcome::Fail);
    insta::assert_snapshot!("feedback", verdict.feedback().unwrap());
    insta::assert_snapshot!("text", verdict.text());
}

#[tokio::test]
async fn texts_are_bounded_whatever_a_judge_writes() {
    let long = "no ".repeat(1_000_000);
    let entry = |number: usize| json!({ "number": number, "reason": long, "score": 0, "met": false });
    let model = ScriptedModel::new().replies(handed_in(&json!([entry(1), entry(2)])));
    let mut judge = JudgeEvaluator::new(model, ["a", "b"]).unwrap().text_bytes(1000);
    let verdict = judged(&mut judge, &"x".repeat(1 << 20)).await;
    assert!(verdict.text().len() < 1100 && verdict.feedback().unwrap().len() < 1100);
}

#[tokio::test]
async fn every_vote_is_metered_and_a_budget_ends_them() {
    let spent = |said| verdict_of(said).with_usage(Usage::unknown().with_cost(Cost::known(Usd::dollars(1))));
    let script = [Said::Yes, Said::Yes, Said::Yes];
    // A refusal is an unclear vote, and its reported cost counts.
    let dollar = Usage::unknown().with_cost(Cost::known(Usd::dollars(1)));
    let model = ScriptedModel::new().fails_after(ModelErrorKind::Refused, dollar);
    let model = script.iter().fold(model, |model, said| model.replies(spent(*said)));
    let agent = ShellAgent::new("echo title").unwrap();
    let report = Loop::new(agent)
        .evaluate(judge(model.clone(), VotePolicy::of(2, 3).unwrap()))
        .until(evaluator_passed())
        .at_most(5)
        .guard(MaxCost::new(Usd::dollars(10)))
        .run()
        .await
        .unwrap();
    assert!(report.is_success());
    assert_eq!(model.requests().len(), 3);
    assert_eq!(report.usage().cost.map(|cost| cost.usd), Some(Usd::dollars(3)));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_puts_the_evaluation_off_and_no_vote_is_lost() {
    let reset = Some(Duration::from_secs(300));
    let model = ScriptedModel::new()
        .replies(verdict_of(Said::Yes))
        .fails(ModelErrorKind::RateLimited { reset })
        .replies(verdict_of(Said::Yes));
    let began = Instant::now();
    let agent = loop_core::iteration_fn(async |_: loop_core::IterationContext<String>| Ok("x".to_owned()));
    let judge = judge(model.clone(), VotePolicy::of(2, 2).unwrap());
    let report = Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(1).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((began.elapsed(), model.requests().len()), (Duration::from_secs(300), 3));
}

#[tokio::test]
async fn a_judge_that_cannot_be_asked_ends_the_run_and_one_that_refuses_has_not_passed() {
    for (kind, expected) in [
        (ModelErrorKind::Unauthorized, StopReason::EvaluatorUnavailable),
        (ModelErrorKind::NotFound, StopReason::EvaluatorUnavailable),
        (ModelErrorKind::Refused, StopReason::MaxIterations),
        (ModelErrorKind::ServerFailed, StopReason::MaxIterations),
    ] {
        let agent = ShellAgent::new("echo title").unwrap();
        let judge = judge(ScriptedModel::new().fails(kind), VotePolicy::default());
        let report =
            Loop::new(agent).evaluate(judge).until(evaluator_passed()).at_most(1).run().await.unwrap();
        assert_eq!(report.reason(), Some(&expected), "{kind:?}");
    }
}

#[tokio::test]
async fn a_judge_is_not_paid_for_work_that_fails_its_test() {
    let model = scripted(&[Said::Yes]);
    let tests = CommandEvaluator::new("test \"$LOOP_ITERATION\" = 2").unwrap();
    let both = EvaluatorChain::new(tests).then(judge(model.clone(), VotePolicy::default()));
    let agent = ShellAgent::new("echo title").unwrap();
    let report = Loop::new(agent).evaluate(both).until(evaluator_passed()).at_most(5).run().await.unwrap();
    assert_eq!((report.is_success(), report.iterations(), model.requests().len()), (true, 2, 1));
}
