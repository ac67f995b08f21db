//! A conversation that every vendor accepts.
//!
//! Vendors differ in what they refuse: two messages of one role in a row, a conversation that begins with the model, an
//! empty text, two calls of one name, words of a user straight after a tool's result. A history that one vendor accepts
//! and another refuses breaks in the middle of the night, when the model changes. So a history keeps the rules of all
//! vendors, whichever model you ask.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{AnsweredCall, Attachment, Message};

/// The messages of a conversation. As JSON it is the list of these messages.
///
/// # Rules
/// - It begins with the user.
/// - Messages of one role in a row are one message, with an empty line between their texts. The exception is the rounds
///   of a turn: each of the model's messages with calls stays separate.
/// - After calls there is a message of the model before the user's next one.
/// - No text is empty, except beside calls and attachments.
/// - Each call has a unique id of letters, digits, `-` and `_`.
///
/// The history converts everything that you add, or read from JSON, to this form.
///
/// ```
/// use loop_agents::chat::{History, Message};
///
/// let mut history = History::new();
/// history.push(Message::user("Good morning."));
/// history.push(Message::user("What is the time?"));
/// history.push(Message::assistant(""));
/// assert_eq!(history.messages(), [Message::user("Good morning.\n\nWhat is the time?")]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Message>", into = "Vec<Message>")]
pub struct History {
    messages: Vec<Message>,
    ids: HashSet<String>,
}

/// Takes the place of the user's first message, if the model's words come first.
const OPENING: &str = "(the conversation goes on)";

/// Takes the place of the model's reply, if it said nothing about its last results.
const SILENCE: &str = "(no reply)";

/// The longest id that stays unchanged: some vendors refuse longer ones.
const MAX_ID_BYTES: usize = 40;

impl History {
    /// Creates an empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the messages in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: Message) {
        match message {
            Message::User { text, attachments } => self.push_user(text, attachments),
            Message::Assistant { text, calls } => self.push_assistant(text, calls),
        }
    }

    fn push_user(&mut self, text: String, attachments: Vec<Attachment>) {
        if text.trim().is_empty() && attachments.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(Message::User { text: before, attachments: given }) => {
                append(before, &text);
                given.extend(attachments);
                return;
            }
            Some(Message::Assistant { calls, .. }) if !calls.is_empty() => {
                self.messages.push(Message::assistant(SILENCE));
            }
            _ => {}
        }
        self.messages.push(Message::User { text, attachments });
    }

    fn push_assistant(&mut self, text: String, mut calls: Vec<AnsweredCall>) {
        if text.trim().is_empty() && calls.is_empty() {
            return;
        }
        for answered in &mut calls {
            self.name_call(&mut answered.call.id);
        }
        match self.messages.last_mut() {
            None => self.messages.push(Message::user(OPENING)),
            Some(Message::Assistant { text: before, calls: made }) if made.is_empty() => {
                append(before, &text);
                *made = calls;
                return;
            }
            Some(_) => {}
        }
        self.messages.push(Message::Assistant { text, calls });
    }

    /// Replaces a call's id if another call has it, or if a vendor would refuse it.
    fn name_call(&mut self, id: &mut String) {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let usable = (1..=MAX_ID_BYTES).contains(&id.len()) && id.chars().all(fits);
        if !usable || self.ids.contains(id) {
            let free = (self.ids.len()..).map(|number| format!("call_{number}"));
            if let Some(name) = free.into_iter().find(|name| !self.ids.contains(name)) {
                *id = name;
            }
        }
        self.ids.insert(id.clone());
    }

    /// Returns how many messages precede the last turns that have at most `keep` messages together, or precede the last
    /// turn if it alone has more. With 0 it returns the number of all messages. It never splits a turn.
    pub(super) fn turns_from(&self, keep: usize) -> usize {
        let by_user = |at: &usize| matches!(self.messages[*at], Message::User { .. });
        let all = self.messages.len();
        let first = (all.saturating_sub(keep)..all).find(by_user);
        first.or_else(|| (0..all).rev().find(by_user).filter(|_| keep > 0)).unwrap_or(all)
    }

    /// Returns all tool results, the oldest first.
    pub(super) fn results_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut AnsweredCall> {
        self.messages.iter_mut().flat_map(|message| match message {
            Message::User { .. } => &mut [],
            Message::Assistant { calls, .. } => calls.as_mut_slice(),
        })
    }
}

/// Appends a text after an empty line, unless either text is blank.
fn append(before: &mut String, text: &str) {
    if before.trim().is_empty() {
        *before = text.to_owned();
    } else if !text.trim().is_empty() {
        before.push_str("\n\n");
        before.push_str(text);
    }
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl From<History> for Vec<Message> {
    fn from(history: History) -> Self {
        history.messages
    }
}

impl Extend<Message> for History {
    fn extend<T: IntoIterator<Item = Message>>(&mut self, messages: T) {
        messages.into_iter().for_each(|message| self.push(message));
    }
}

impl FromIterator<Message> for History {
    fn from_iter<T: IntoIterator<Item = Message>>(messages: T) -> Self {
        let mut history = Self::new();
        history.extend(messages);
        history
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::{collection::vec, prelude::*};
    use serde_json::json;

    use super::{super::ToolCall, *};

    fn calls() -> impl Strategy<Value = Vec<AnsweredCall>> {
        let call = ("[a-c]?|call_[0-2]|Ü|x{41}", "[a-b]{0,300}")
            .prop_map(|(id, result)| AnsweredCall { call: ToolCall::new(id, "tool", json!({})), result });
        vec(call, 0..3)
    }

    pub(in crate::chat) fn any_message() -> impl Strategy<Value = Message> {
        prop_oneof![
            "[a-b ]{0,3}".prop_map(Message::user),
            "[a-b ]{0,3}"
                .prop_map(|text| Message::user(text).with_attachment(Attachment::new("image/png", "x"))),
            ("[a-b ]{0,3}", calls()).prop_map(|(text, calls)| Message::Assistant { text, calls }),
        ]
    }

    proptest! {
        #[test]
        fn every_vendor_would_accept_it(messages in vec(any_message(), 0..12)) {
            let history: History = messages.into_iter().collect();
            let messages = history.messages();
            let by_model = matches!(messages.first(), Some(Message::Assistant { .. }));
            prop_assert!(!by_model);
            for pair in messages.windows(2) {
                let (before, after) = (&pair[0], &pair[1]);
                let by_user = matches!(after, Message::User { .. });
                let expects_user = matches!(before, Message::Assistant { calls, .. } if calls.is_empty());
                prop_assert_eq!(by_user, expects_user, "{:?}", pair);
            }
            let mut ids = HashSet::new();
            for message in messages {
                let says = !message.text().trim().is_empty();
                prop_assert!(says || !message.calls().is_empty() || !message.attachments().is_empty());
                for answered in message.calls() {
                    prop_assert!(ids.insert(&answered.call.id), "{} twice", answered.call.id);
                    prop_assert!(answered.call.id.is_ascii() && !answered.call.id.is_empty());
                }
            }
        }

        #[test]
        fn the_last_turns_begin_with_the_user(messages in vec(any_message(), 0..12), keep in 0..14_usize) {
            let history: History = messages.into_iter().collect();
            let messages = history.messages();
            let first = history.turns_from(keep);
            let (before, last) = messages.split_at(first);
            let begins = |messages: &[Message]| {
                messages.first().is_none_or(|message| matches!(message, Message::User { .. }))
            };
            prop_assert!(begins(last), "{:?}", last);
            prop_assert_eq!(last.is_empty(), keep == 0 || messages.is_empty());
            // It keeps more than `keep` only if that is one turn, and fewer only if one more turn would be too much.
            let turns = last.iter().filter(|message| matches!(message, Message::User { .. })).count();
            prop_assert!(last.len() <= keep || turns == 1);
            let by_user = |message: &&Message| matches!(message, Message::User { .. });
            if let Some(turn) = before.iter().rev().position(|message| by_user(&message)) {
                prop_assert!(last.len() + turn + 1 > keep);
            }
        }

        #[test]
        fn it_survives_json(messages in vec(any_message(), 0..12)) {
            let history: History = messages.into_iter().collect();
            let json = serde_json::to_string(&history).unwrap();
            prop_assert_eq!(serde_json::from_str::<History>(&json).unwrap(), history);
        }

        #[test]
        fn no_word_and_no_result_is_lost(messages in vec(any_message(), 0..12)) {
            let results = |messages: &[Message]| -> Vec<_> {
                messages.iter().flat_map(Message::calls).map(|answered| answered.result.clone()).collect()
            };
            let words = |messages: &[Message]| -> String {
                let texts = messages.iter().map(Message::text).filter(|text| ![OPENING, SILENCE].contains(text));
                texts.flat_map(str::split_whitespace).collect()
            };
            let history: History = messages.iter().cloned().collect();
            let pictures = |messages: &[Message]| messages.iter().flat_map(Message::attachments).count();
            prop_assert_eq!(pictures(history.messages()), pictures(&messages));
            prop_assert_eq!(words(history.messages()), words(&messages));
            prop_assert_eq!(results(history.messages()), results(&messages));
        }
    }
}
