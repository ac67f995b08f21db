//! A judge: one model writes, another judges by criteria, and one budget covers the cost of both.
//!
//! Both are scripts here, so that the example runs anywhere. With the feature `genai` you can use real models instead.
//!
//! Run it with `cargo run -p loop-agents --example judge`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::error::Error;

use loop_agents::{
    chat::{Chat, ChatAgent, Reply, ScriptedModel, ToolCall},
    judge::JudgeEvaluator,
};
use loop_core::{Cost, Loop, Usage, Usd};
use loop_guardrails::{MaxCost, evaluator_passed};
use serde_json::{Value, json};

/// A reply that costs a cent.
fn costly(reply: Reply) -> Reply {
    let cost = Cost::known(Usd::micros(10_000));
    reply.with_usage(Usage::unknown().with_tokens(200, 20).with_cost(cost))
}

/// Returns a judge's opinion about one criterion. The judge fills in a form, so nobody has to interpret prose.
fn opinion(number: u64, met: bool, reason: &str) -> Value {
    json!({ "number": number, "reason": reason, "score": if met { 0.9 } else { 0.2 }, "met": met })
}

fn vote(opinions: &[Value]) -> Reply {
    costly(Reply::default().with_call(ToolCall::new("c1", "give_verdict", json!({ "criteria": opinions }))))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let writer = ScriptedModel::new()
        .replies(costly(Reply::text("It was a dark and stormy night, and a dark one, too.")))
        .replies(costly(Reply::text("It was a dark night.")))
        .replies(costly(Reply::text("Night.")));
    let editor = ScriptedModel::new()
        .replies(vote(&[opinion(1, true, "It is night."), opinion(2, false, "It says dark twice.")]))
        .replies(costly(Reply::text("I like it very much!"))) // no verdict at all, and so not a pass
        .replies(vote(&[opinion(1, true, "It is night."), opinion(2, true, "One word.")]));

    let agent = ChatAgent::new(Chat::new(writer.clone()))
        .goal("Begin a story")
        .prompt("{goal}. The editor says: {evaluator_output}");
    let judge = JudgeEvaluator::new(editor, ["It says when the story happens", "No word can be left out"])?
        .goal("Begin a story");
    let report = Loop::new(agent)
        .evaluate(judge)
        .until(evaluator_passed())
        .at_most(5)
        .guard(MaxCost::new(Usd::dollars(1)))
        .run()
        .await?;

    println!(
        "{} after {} iterations, for {}",
        report.ending(),
        report.iterations(),
        report.progress().cost()
    );
    assert_eq!(report.output().map(|turn| turn.text.as_str()), Some("Night."));
    assert_eq!(report.usage().cost.map(|cost| cost.usd), Some(Usd::micros(60_000)));
    assert!(writer.requests()[1].messages.iter().any(|message| message.text().contains("dark twice")));
    Ok(())
}
