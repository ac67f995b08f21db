//! Renders a conversation with calls as plain text.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::{AnsweredCall, History, Message};
use crate::tools::ToolDefinition;

/// Returns the system prompt with a description of the tools.
pub(super) fn instructions(system: Option<&str>, tools: &[ToolDefinition]) -> Option<String> {
    if tools.is_empty() {
        return system.map(str::to_owned);
    }
    let mut text = system.map(|system| format!("{system}\n\n")).unwrap_or_default();
    text.push_str(
        "You can use tools. To use one, answer only with a block of this form, one for each call:\n\
         ```json\n{\"name\": \"the tool's name\", \"arguments\": {}}\n```\n\
         You then get the results. When you need no more tools, answer in words, without such a block.\n\
         These are the tools, with the JSON schema of their arguments:",
    );
    for tool in tools {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- `{}`: {} Arguments: {}", tool.name, tool.description, tool.parameters);
    }
    Some(text)
}

/// Returns the conversation without calls: the model's own words, and the results as messages of the user.
pub(super) fn in_words(messages: &[Message]) -> History {
    let mut history = History::new();
    for message in messages {
        match message {
            Message::User { .. } => history.push(message.clone()),
            Message::Assistant { text, calls } => {
                history.push(Message::assistant(said(text, calls)));
                history.push(Message::user(results(calls)));
            }
        }
    }
    history
}

/// Returns the model's text, followed by those calls that the text does not contain.
fn said(text: &str, calls: &[AnsweredCall]) -> String {
    let mut said = text.to_owned();
    for AnsweredCall { call, .. } in calls.iter().filter(|answered| !answered.call.in_text) {
        let (name, arguments) = (Value::from(call.name.as_str()), &call.arguments);
        let between = if said.is_empty() { "" } else { "\n" };
        let _ = write!(said, "{between}```json\n{{\"name\": {name}, \"arguments\": {arguments}}}\n```");
    }
    said
}

fn results(calls: &[AnsweredCall]) -> String {
    let results = calls.iter().map(|AnsweredCall { call, result }| {
        // A fence in the result must not close the result's own block.
        let longest = result.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        format!("Result of `{}`:\n{fence}\n{result}\n{fence}", call.name)
    });
    results.collect::<Vec<_>>().join("\n\n")
}
