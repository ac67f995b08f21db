//! Changes that a session makes to a conversation between its turns.

use loop_agents::chat::{Attachment, Chat, History, Message, ModelErrorKind, ScriptedModel};
use serde_json::json;

use super::workshop;

/// The group `clearHistory` of the cases: the system prompt and the pinned texts stay.
#[tokio::test]
async fn what_is_pinned_survives_clearing() {
    let model = ScriptedModel::new().says("a").says("b").says("c");
    let mut chat = Chat::new(model.clone()).system("S");
    chat.pin("P\n\nQ");
    chat.pin("R");
    chat.pin(" \n");
    chat.turn("1").run().await.unwrap();
    chat.clear();
    assert!(chat.history().is_empty());
    chat.turn("2").run().await.unwrap();
    let asked = &model.requests()[1];
    assert_eq!(asked.messages, [Message::user("2")]);
    let system = asked.system.as_deref().unwrap();
    assert!(system.starts_with("S\n\n") && system.ends_with("\n\nP\n\nQ\n\nR"), "{system}");
    assert_eq!(chat.unpin(), ["P\n\nQ", "R"]);
    chat.turn("3").run().await.unwrap();
    assert_eq!(model.requests()[2].system.as_deref(), Some("S"));
}

#[tokio::test]
async fn a_turn_to_another_model_takes_the_last_messages_along() {
    let own = ScriptedModel::new().says("mine");
    let other = ScriptedModel::new().says("Not I.");
    let texts = ["1", "2", "3", "4"];
    let said = texts.iter().enumerate();
    let said =
        said.map(|(at, text)| if at % 2 == 0 { Message::user(*text) } else { Message::assistant(*text) });
    let before: History = said.collect();
    let mut chat = Chat::new(own.clone()).with_history(before.clone());
    chat.turn("you?").asking(other.clone()).with_last(3).run().await.unwrap();
    let asked: Vec<_> = other.requests()[0].messages.iter().map(|said| said.text().to_owned()).collect();
    assert_eq!(asked, ["3", "4", "you?"]);
    let texts: Vec<_> = chat.history().messages().iter().map(Message::text).collect();
    assert_eq!(texts, ["1", "2", "3", "4", "you?", "Not I."]);
    // The next turn uses the conversation's own model again, with all messages.
    chat.turn("and you?").run().await.unwrap();
    assert_eq!(own.requests()[0].messages.len(), 7);
}

#[tokio::test]
async fn a_turn_to_another_model_that_fails_changes_nothing() {
    let before: History = [Message::user("1"), Message::assistant("2")].into_iter().collect();
    let mut chat = Chat::new(ScriptedModel::new()).with_history(before.clone());
    let other = ScriptedModel::new().fails(ModelErrorKind::ServerFailed);
    chat.turn("you?").asking(other).with_last(1).run().await.unwrap_err();
    assert_eq!(chat.history(), &before);
}

#[tokio::test]
async fn calls_of_a_turn_with_a_part_of_the_conversation_have_ids_of_their_own() {
    let (_folder, tools) = workshop();
    let own = ScriptedModel::new().calls("whoami", json!({})).says("a").says("b");
    let other = ScriptedModel::new().calls("whoami", json!({})).says("c");
    let mut chat = Chat::new(own).tools(tools);
    chat.turn("1").run().await.unwrap();
    chat.turn("2").run().await.unwrap();
    chat.turn("3").asking(other).with_last(2).run().await.unwrap();
    let calls = chat.history().messages().iter().flat_map(Message::calls);
    let ids: Vec<_> = calls.map(|answered| answered.call.id.as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn models_and_tools_are_changed_between_turns() {
    let (_folder, tools) = workshop();
    let first = ScriptedModel::new().says("a").says("b");
    let mut chat = Chat::new(first.clone()).tools(tools);
    chat.turn("1").run().await.unwrap();
    let taken = chat.set_tools(None);
    chat.turn("2").run().await.unwrap();
    assert_eq!((first.requests()[0].tools.is_empty(), first.requests()[1].tools.is_empty()), (false, true));
    assert!(chat.set_tools(taken).is_none());
    let second = ScriptedModel::new().says("c");
    chat.set_model(second.clone());
    chat.turn("3").run().await.unwrap();
    assert_eq!((second.requests()[0].messages.len(), second.requests()[0].tools.is_empty()), (5, false));
}

#[tokio::test]
async fn a_picture_goes_with_a_prompt_or_is_one() {
    let model = ScriptedModel::new().says("A cat.").says("A dog.");
    let mut chat = Chat::new(model.clone());
    let picture = Attachment::new("image/png", b"\x89PNG").named("a.png");
    chat.turn("What is it?").attach(picture.clone()).run().await.unwrap();
    chat.turn("").attach(picture.clone()).run().await.unwrap();
    for message in [0, 2] {
        assert_eq!(chat.history().messages()[message].attachments(), std::slice::from_ref(&picture));
    }
    assert!(chat.measure().tokens > 3_000);
}

#[test]
fn conversations_of_before_there_were_pictures_are_read() {
    let old = r#"[{"role":"user","text":"Hi"},{"role":"assistant","text":"Hello"}]"#;
    let history: History = serde_json::from_str(old).unwrap();
    assert_eq!(history.messages(), [Message::user("Hi"), Message::assistant("Hello")]);
    assert_eq!(serde_json::to_string(&history).unwrap(), old);
}

#[tokio::test]
async fn a_context_is_part_of_the_requests_of_a_turn_and_not_of_the_conversation() {
    let (_folder, tools) = workshop();
    let call = json!({ "path": "needle.txt" });
    let model = ScriptedModel::new().calls("read_file", call).says("One.").says("Two.");
    let mut chat = Chat::new(model.clone()).tools(tools);
    chat.set_context(Some("Found. ".to_owned()));
    chat.turn("First?").run().await.unwrap();
    chat.set_context(None);
    chat.turn("Second?").run().await.unwrap();
    let first: Vec<_> =
        model.requests().iter().map(|request| request.messages[0].text().to_owned()).collect();
    assert_eq!(first, ["Found. First?", "Found. First?", "First?"]);
    assert_eq!(chat.history().messages()[0].text(), "First?");
}
