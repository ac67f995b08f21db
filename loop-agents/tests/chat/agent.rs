//! A turn as the iteration of a loop.

use std::time::Duration;

use loop_agents::chat::{
    Chat, ChatAgent, Message, ModelErrorKind, Reply, ScriptedModel, ToolCall, TurnOutput,
};
use loop_core::{IterationContext, Loop, StopReason, Usage, iteration_with};
use loop_guardrails::{MaxTokens, after, policy::environment::EnvironmentPolicy};
use serde_json::json;
use tokio::time::Instant;

use super::workshop;

#[tokio::test]
async fn a_prompt_is_taken_as_it_is_written() {
    let model = ScriptedModel::new().says("ok");
    let agent = ChatAgent::new(Chat::new(model.clone())).goal("say {iteration} and {goal}");
    Loop::new(agent).until(after(1)).at_most(1).run().await.unwrap();
    assert_eq!(model.requests()[0].messages[0].text(), "say {iteration} and {goal}");
}

#[tokio::test]
async fn a_conversation_goes_on_and_a_fresh_one_does_not() {
    for (fresh, expected) in [(false, [1, 3, 5]), (true, [1, 1, 1])] {
        let model = ScriptedModel::new().says("one").says("two").says("three");
        let agent = ChatAgent::new(Chat::new(model.clone())).goal("go");
        let agent = if fresh { agent.fresh() } else { agent };
        Loop::new(agent).until(after(3)).at_most(3).run().await.unwrap();
        let lengths: Vec<_> = model.requests().iter().map(|asked| asked.messages.len()).collect();
        assert_eq!(lengths, expected);
    }
}

#[tokio::test]
async fn the_last_reply_is_in_the_next_prompt_if_it_is_asked_for() {
    let model = ScriptedModel::new().says("one").says("two");
    let agent =
        ChatAgent::new(Chat::new(model.clone())).prompt("{iteration}: you said `{prior_output}`").fresh();
    Loop::new(agent).until(after(2)).at_most(2).run().await.unwrap();
    assert_eq!(model.requests()[1].messages, [Message::user("2: you said `one`")]);
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_puts_the_iteration_off_and_uses_none_up() {
    let reset = Some(Duration::from_secs(300));
    let model = ScriptedModel::new().fails(ModelErrorKind::RateLimited { reset }).says("ok");
    let began = Instant::now();
    let agent = ChatAgent::new(Chat::new(model.clone())).goal("go");
    let report = Loop::new(agent).until(after(1)).at_most(1).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!(began.elapsed(), Duration::from_secs(300));
    // The deferred turn left nothing in the conversation.
    assert_eq!(model.requests()[1].messages, [Message::user("go")]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_an_iteration_of_ones_own_waits_for_a_rate_limit_and_ends_with_the_iteration() {
    let reset = Some(Duration::from_secs(300));
    let spent = Usage::unknown().with_tokens(900, 100);
    let model = ScriptedModel::new()
        .fails(ModelErrorKind::RateLimited { reset })
        .replies(Reply::text("ok").with_usage(spent));
    let own = |model: ScriptedModel| {
        iteration_with(Chat::new(model), async |chat: &mut Chat, cx: IterationContext<String>| {
            Ok(chat.turn("go").run_in(&cx).await?.text)
        })
    };
    let report = Loop::new(own(model)).until(after(1)).at_most(1).run().await.unwrap();
    assert!(report.is_success());
    assert_eq!((report.elapsed(), report.usage().tokens()), (Duration::from_secs(300), Some(1_000)));
    let refused = ScriptedModel::new().fails(ModelErrorKind::Unauthorized);
    let report = Loop::new(own(refused)).until(after(5)).at_most(5).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::AgentUnavailable));
}

#[tokio::test]
async fn a_rate_limit_after_a_call_fails_the_iteration() {
    let (_folder, tools) = workshop();
    let reset = Some(Duration::from_secs(300));
    let model = ScriptedModel::new().calls("whoami", json!({})).fails(ModelErrorKind::RateLimited { reset });
    let agent = ChatAgent::new(Chat::new(model.clone()).tools(tools)).goal("go");
    let report = Loop::new(agent).until(after(1)).at_most(1).run().await.unwrap();
    assert_eq!(model.requests().len(), 2);
    let failure = report.last_step().and_then(|step| step.failure()).unwrap().to_owned();
    assert!(
        failure.starts_with("the model did not answer after 1 tool call: scripted: reached a rate limit"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_key_that_is_refused_ends_the_run() {
    let model = ScriptedModel::new().fails(ModelErrorKind::Unauthorized).says("never");
    let agent = ChatAgent::new(Chat::new(model)).goal("go");
    let report = Loop::new(agent).until(after(5)).at_most(5).run().await.unwrap();
    assert_eq!(report.reason(), Some(&StopReason::AgentUnavailable));
    assert!(report.ending().message().contains("check the API key"), "{:?}", report.ending());
}

#[tokio::test]
async fn an_error_is_a_failed_step_and_the_loop_goes_on() {
    let model = ScriptedModel::new().fails(ModelErrorKind::ServerFailed).says("ok");
    let agent = ChatAgent::new(Chat::new(model)).goal("go");
    let report = Loop::new(agent).until(after(2)).at_most(2).run().await.unwrap();
    assert_eq!((report.iterations(), report.output().map(|turn| turn.text.as_str())), (2, Some("ok")));
}

#[tokio::test]
async fn each_round_is_on_the_meter_before_the_turn_is_over() {
    let (_folder, tools) = workshop();
    let spent = Usage::unknown().with_tokens(900, 100);
    let call = Reply::default().with_call(ToolCall::new("c", "whoami", json!({}))).with_usage(spent);
    let model = (0..10).fold(ScriptedModel::new(), |model, _| model.replies(call.clone()));
    let agent = ChatAgent::new(Chat::new(model.clone()).tools(tools)).goal("go");
    let report =
        Loop::new(agent).until(after(1)).at_most(1).guard(MaxTokens::new(1_000_000)).run().await.unwrap();
    // The script ends after ten rounds, and their usage still counts.
    assert_eq!(report.usage().tokens(), Some(10_000));
    assert_eq!(model.requests().len(), 11);
}

#[tokio::test]
async fn a_reply_that_was_cut_is_a_fault_of_its_step() {
    let model = ScriptedModel::new().replies(Reply::text("Once upon").truncated());
    let report = Loop::new(ChatAgent::new(Chat::new(model)).goal("go"))
        .until(after(1))
        .at_most(1)
        .run()
        .await
        .unwrap();
    assert!(report.last_step().is_some_and(|step| step.fault().is_some() && step.output().is_some()));
}

#[test]
fn an_output_survives_json() {
    let json =
        r#"{"text":"ok","calls":[{"tool":"whoami","done":true}],"rounds":2,"usage":{"input_tokens":7}}"#;
    let output: TurnOutput = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&output).unwrap(), json);
}

/// The turn crosses the budget of its surrounding loop while a command hangs.
#[tokio::test]
async fn a_budget_that_a_round_crosses_cuts_the_turn() {
    let (_folder, tools) = workshop();
    let path = std::env::var_os("PATH").unwrap();
    let tools = tools.environment([("PATH", path)], &EnvironmentPolicy::new());
    let hangs = ToolCall::new("c", "run_command", json!({ "command": "tail -f needle.txt" }));
    let reply = Reply::default().with_call(hangs).with_usage(Usage::unknown().with_tokens(900, 100));
    let model = ScriptedModel::new().replies(reply).says("never");
    let agent = ChatAgent::new(Chat::new(model.clone()).tools(tools)).goal("go");
    let report = Loop::new(agent).until(after(1)).at_most(1).guard(MaxTokens::new(500)).run().await.unwrap();
    assert_eq!((report.reason(), model.requests().len()), (Some(&StopReason::TokensExceeded), 1));
    assert_eq!(report.usage().tokens(), Some(1_000));
}
