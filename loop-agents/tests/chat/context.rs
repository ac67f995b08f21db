//! Measuring the context window, and summaries that make room in it.

use loop_agents::chat::{
    AFTER_SUMMARY, AnsweredCall, Chat, ChatAgent, ChatModel, ContextFill, ContextMeasure, History, Message,
    ModelError, ModelErrorKind, OnDelta, Reply, Request, Retry, SUMMARISE_AT, ScriptedModel, SummaryError,
    SummaryRules, ToolCall, TurnError,
};
use loop_core::{CancellationToken, Iteration as _, IterationContext, Usage, Work};
use proptest::{collection::vec, prelude::*};
use serde_json::json;

fn talk(texts: &[&str]) -> History {
    let said = texts.iter().enumerate();
    said.map(|(at, text)| if at % 2 == 0 { Message::user(*text) } else { Message::assistant(*text) })
        .collect()
}

/// The groups `contextUsage` and `shouldCompress` of the cases.
#[test]
fn a_window_is_tight_in_time_and_unknown_where_it_is() {
    let fill = |tokens, window| ContextMeasure::new(tokens, false, window).fill();
    assert_eq!(fill(99, Some(100)), ContextFill::Tight);
    assert_eq!(fill(5, Some(0)), ContextFill::Unknown);
    assert_eq!(fill(100, Some(100)), ContextFill::Over);
    assert_eq!(fill(5, None), ContextFill::Unknown);
    let reaches = |tokens, window, share| ContextMeasure::new(tokens, true, Some(window)).reaches(share);
    assert!(!reaches(79, 100, 0.8));
    assert!(reaches(80, 100, 0.8));
    assert!(!reaches(80, 0, 0.8));
    assert!(!reaches(80, 100, 0.0));
}

proptest! {
    #[test]
    fn fill_share_and_percent_agree(tokens in 0..3_000_u64, window in 1..2_000_u64) {
        let measure = ContextMeasure::new(tokens, true, Some(window));
        prop_assert_eq!(measure.fill() == ContextFill::Over, measure.percent() >= Some(100));
        prop_assert_eq!(measure.fill() == ContextFill::Room, !measure.reaches(SUMMARISE_AT));
        prop_assert_eq!(measure.reaches(1.0), measure.percent() >= Some(100));
    }

    #[test]
    fn more_is_never_measured_as_less(texts in vec("\\PC{0,40}", 0..6), more in "\\PC{1,40}") {
        let mut chat = Chat::new(ScriptedModel::new());
        texts.iter().for_each(|text| chat.put(Message::user(text)));
        let before = chat.measure();
        let foreseen = chat.measure_with(&Message::user(&more));
        prop_assert!(!before.exact && !foreseen.exact && foreseen.tokens >= before.tokens);
        chat.put(Message::user(&more));
        prop_assert!(chat.measure().tokens >= before.tokens);
    }
}

#[tokio::test]
async fn what_the_server_counted_is_exact_until_something_comes() {
    let counted = Reply::text("Hello.").with_usage(Usage::unknown().with_tokens(90, 10));
    let model = ScriptedModel::new().with_window(1_000).replies(counted).says("Nothing was counted.");
    let mut chat = Chat::new(model);
    assert!(!chat.measure().exact);
    chat.turn("Hi!").run().await.unwrap();
    assert_eq!(chat.measure(), ContextMeasure::new(100, true, Some(1_000)));
    assert_eq!(chat.measure_with(&Message::user("12345678")), ContextMeasure::new(102, false, Some(1_000)));
    chat.put(Message::user("1234"));
    assert_eq!(chat.measure(), ContextMeasure::new(101, false, Some(1_000)));
    chat.turn("And?").run().await.unwrap();
    assert!(!chat.measure().exact);
}

#[tokio::test]
async fn whatever_else_changes_the_context_makes_the_count_an_estimate() {
    let changes: [fn(&mut Chat); 7] = [
        |chat| chat.pin("a fact"),
        |chat| drop(chat.unpin()),
        |chat| chat.clear(),
        |chat| chat.set_system(None),
        |chat| chat.set_model(ScriptedModel::new()),
        |chat| drop(chat.set_tools(None)),
        |chat| chat.set_history(History::new()),
    ];
    for change in changes {
        let counted = Reply::text("Hello.").with_usage(Usage::unknown().with_tokens(90, 10));
        let mut chat = Chat::new(ScriptedModel::new().replies(counted));
        chat.turn("Hi!").run().await.unwrap();
        assert!(chat.measure().exact);
        change(&mut chat);
        assert!(!chat.measure().exact);
    }
}

/// The group `compressHistory` of the cases.
#[tokio::test(start_paused = true)]
async fn a_summary_replaces_the_older_messages_and_nothing_else() {
    let used = Usage::unknown().with_tokens(9, 4);
    let model =
        ScriptedModel::new().fails_after(ModelErrorKind::CutOff, used).says("sum").says("sum of sums");
    let mut chat = Chat::new(Retry::new(model.clone())).system("S").with_history(talk(&["1", "2", "3", "4"]));
    chat.pin("P");
    let work = Work::new();
    let cx = IterationContext::<()>::new(&work, 1);
    let summary = chat.summarise().keep(2).meter(cx.meter()).run().await.unwrap();
    // The second reply has no numbers of tokens.
    let used = used.with_partial_tokens();
    assert_eq!((work.take_usage(), summary.usage), (used, used));
    assert_eq!((summary.text.as_str(), summary.replaced, summary.truncated), ("sum", 2, false));
    let asked = &model.requests()[1];
    assert_eq!(asked.messages[..2], talk(&["1", "2"]).messages()[..]);
    assert!(!asked.may_call);
    let messages = chat.history().messages();
    assert!(messages[0].text().ends_with("\n\nsum"));
    assert_eq!(messages[2..], talk(&["3", "4"]).messages()[..]);
    assert_eq!((chat.system_prompt(), chat.pinned()), (Some("S"), &["P".to_owned()][..]));
    // The next summary includes the first one. After that there is nothing left to summarise.
    let summary = chat.summarise().keep(0).run().await.unwrap();
    assert_eq!(summary.replaced, 4);
    assert!(model.requests()[2].messages[0].text().ends_with("\n\nsum"));
    assert_eq!(chat.history().messages().len(), 2);
    let nothing = chat.summarise().keep(0).run().await.unwrap_err();
    assert!(matches!(nothing, SummaryError::NothingOlder), "{nothing}");
}

/// Never answers.
struct Hangs(CancellationToken);

#[loop_core::async_trait]
impl ChatModel for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }
    async fn reply(&self, _: Request<'_>, _: OnDelta<'_>) -> Result<Reply, ModelError> {
        self.0.cancel();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_summary_that_fails_leaves_all_as_it_was() {
    let before = talk(&["1", "2", "3", "4"]);
    let mut chat = Chat::new(ScriptedModel::new().fails(ModelErrorKind::ServerFailed).says(" \n"));
    chat.set_history(before.clone());
    let failed = chat.summarise().keep(2).run().await.unwrap_err();
    assert!(matches!(failed, SummaryError::Model(_)), "{failed}");
    let empty = chat.summarise().keep(2).run().await.unwrap_err();
    assert!(matches!(empty, SummaryError::Empty), "{empty}");
    let token = CancellationToken::new();
    let counted = chat.measure();
    chat.set_model(Hangs(token.clone()));
    let cancelled = chat.summarise().keep(2).cancel_on(token).run().await.unwrap_err();
    assert!(matches!(cancelled, SummaryError::Cancelled), "{cancelled}");
    assert_eq!(chat.history(), &before);
    assert_eq!(chat.measure().tokens, counted.tokens);
}

#[tokio::test]
async fn a_short_conversation_is_not_summarised() {
    for texts in [&[][..], &["1", "2"]] {
        let model = ScriptedModel::new();
        let mut chat = Chat::new(model.clone()).with_history(talk(texts));
        let error = chat.summarise().run().await.unwrap_err();
        assert!(matches!(error, SummaryError::NothingOlder), "{error}");
        assert!(model.requests().is_empty());
    }
}

fn any_message() -> impl Strategy<Value = Message> {
    let calls = vec("[a-b]{0,9}", 0..3).prop_map(|results| {
        let call = |result| AnsweredCall { call: ToolCall::new("c", "tool", json!({})), result };
        results.into_iter().map(call).collect::<Vec<_>>()
    });
    prop_oneof![
        "[a-b]{1,9}".prop_map(Message::user),
        ("[a-b]{0,9}", calls).prop_map(|(text, calls)| Message::Assistant { text, calls }),
    ]
}

proptest! {
    #[test]
    fn the_last_messages_are_kept_whole(messages in vec(any_message(), 0..12), keep in 0..8_usize) {
        let history: History = messages.into_iter().collect();
        let mut chat = Chat::new(ScriptedModel::new().says("sum")).with_history(history.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        match runtime.block_on(chat.summarise().keep(keep).run()) {
            Err(error) => {
                prop_assert!(matches!(error, SummaryError::NothingOlder));
                prop_assert_eq!(chat.history(), &history);
            }
            Ok(summary) => {
                let kept = &history.messages()[summary.replaced..];
                // The summary and the model's reply come first, and then the kept messages, unchanged.
                prop_assert_eq!(&chat.history().messages()[2..], kept);
                let again: History = chat.history().messages().iter().cloned().collect();
                prop_assert_eq!(&again, chat.history(), "every vendor would accept it");
            }
        }
    }
}

#[tokio::test]
async fn an_agent_makes_room_for_its_prompt_whatever_fills_the_window() {
    let model = ScriptedModel::new().with_window(1_000).says("They talked.").says("Fine.");
    // Even the last turn is too long.
    let chat = Chat::new(model).with_history(talk(&["hi", &"word ".repeat(900)]));
    let mut agent = ChatAgent::new(chat).goal("And now?");
    let output = agent.run(IterationContext::new(&Work::new(), 1)).await.unwrap();
    assert_eq!(output.text, "Fine.");
    assert_eq!(
        (agent.chat().measure().fill(), agent.chat().history().messages().len()),
        (ContextFill::Room, 4)
    );
}

#[tokio::test]
async fn a_prompt_without_room_is_not_sent() {
    let model = ScriptedModel::new().with_window(1_000).fails(ModelErrorKind::Unauthorized).says("Fine.");
    let chat = Chat::new(model).with_history(talk(&["hi", &"word ".repeat(900)]));
    let mut agent = ChatAgent::new(chat).goal("And now?");
    let error = agent.run(IterationContext::new(&Work::new(), 1)).await.unwrap_err();
    assert!(format!("{error:?}").contains("NoRoom"), "{error:?}");
    assert_eq!(agent.chat().history().messages().len(), 2);
}

#[tokio::test]
async fn a_turn_that_does_not_fit_sends_nothing() {
    let model = ScriptedModel::new().with_window(1_000).says("Fine.");
    let mut chat = Chat::new(model.clone()).system("word ".repeat(700));
    let error = chat.turn("Hello?").run().await.unwrap_err();
    assert!(matches!(error, TurnError::SystemTooLong { tokens: 875, window: 1_000 }), "{error}");
    chat.set_system(Some("word ".repeat(600)));
    let error = chat.turn("word ".repeat(300)).run().await.unwrap_err();
    assert!(matches!(error, TurnError::NoRoom(_)), "{error}");
    assert!(chat.history().is_empty() && model.requests().is_empty());
    assert_eq!(chat.turn("Hello?").run().await.unwrap().text, "Fine.");
    // Another model has a window of its own.
    let tiny = ScriptedModel::new().with_window(500);
    let error = chat.turn("And you?").asking(tiny).run().await.unwrap_err();
    assert!(matches!(error, TurnError::SystemTooLong { window: 500, .. }), "{error}");
}

/// Summarises as long as a summary is due before this prompt. Returns how many were made.
async fn make_room(chat: &mut Chat, prompt: &Message) -> usize {
    let (mut last, mut made) = (None, 0);
    while let Some(keep) = chat.summary_due(prompt, last) {
        last = Some(keep);
        chat.summarise().keep(keep).run().await.expect("a summary");
        made += 1;
    }
    made
}

proptest! {
    #[test]
    fn after_a_summary_little_is_used_or_only_the_last_messages_remain(
        sizes in vec(1..400_usize, 1..12),
        summary in 1..300_usize,
    ) {
        let texts: Vec<_> = sizes.iter().flat_map(|size| ["word ".repeat(*size), "fine ".repeat(*size)]).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let model = (0..4).fold(ScriptedModel::new(), |model, _| model.says(&*"sum ".repeat(summary)));
        let mut chat = Chat::new(model.with_window(1_000)).with_history(talk(&texts));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let made = runtime.block_on(make_room(&mut chat, &Message::user("And?")));
        prop_assert!(made <= 3);
        if made > 0 {
            let is_little = !chat.measure().reaches(AFTER_SUMMARY);
            prop_assert!(is_little || chat.history().messages().len() <= 4, "{}", chat.measure());
        }
    }
}

#[tokio::test]
async fn nothing_is_summarised_for_a_prompt_that_cannot_fit() {
    let model = (0..9).fold(ScriptedModel::new(), |model, _| model.says("sum"));
    let mut chat = Chat::new(model.clone().with_window(1_000)).system("word ".repeat(100));
    let history = talk(&["Hi.", "Yes.", "And?", "Yes.", "More?", "No."]);
    chat.set_history(history.clone());
    let prompt = Message::user("word ".repeat(750));
    assert_eq!(make_room(&mut chat, &prompt).await, 0);
    assert_eq!((chat.history(), model.requests().len()), (&history, 0));
    // This one fits after a single summary.
    chat.set_history(talk(&[&"word ".repeat(300), "Yes.", &"word ".repeat(300), "Yes.", "More?", "No."]));
    assert_eq!(make_room(&mut chat, &Message::user("word ".repeat(400))).await, 1);
}

#[tokio::test]
async fn rules_decide_when_a_summary_is_due_and_what_it_keeps() {
    let long = "word ".repeat(100);
    let texts = [&*long, "Yes."].repeat(4);
    let due = |at, keep| {
        let chat = Chat::new(ScriptedModel::new().with_window(2_000)).with_history(talk(&texts));
        chat.summary_rules(SummaryRules::new(at, keep)).summary_due(&Message::user("And?"), None)
    };
    // The messages take about a quarter of the window.
    assert_eq!([due(0.8, 6), due(0.0, 6)], [None, None]);
    assert_eq!([due(0.2, 6), due(0.2, 3), due(0.2, 0)], [Some(6), Some(3), Some(0)]);
}

#[tokio::test]
async fn a_summary_that_freed_nothing_is_not_paid_again() {
    let long = "word ".repeat(90);
    let model = (0..9).fold(ScriptedModel::new(), |model, _| model.says(&*"sum ".repeat(200)));
    let mut chat = Chat::new(model.clone().with_window(1_000)).system("word ".repeat(560));
    chat.set_history(talk(&[&long, "Yes.", "And?", "Yes."]));
    let prompt = Message::user("More?");
    assert_eq!(make_room(&mut chat, &prompt).await, 1);
    assert_eq!(make_room(&mut chat, &prompt).await, 0);
    chat.put(Message::user("a"));
    chat.put(Message::assistant("b"));
    assert_eq!(make_room(&mut chat, &prompt).await, 0);
    assert_eq!(model.requests().len(), 1);
}
