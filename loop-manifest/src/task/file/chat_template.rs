//! A chat template in TOML.

use loop_agents::output;
use loop_telemetry::Redactor;
use serde::Deserialize;
use toml::Spanned;

use super::{TaskFileError, TaskHeader, ToolsTable, strict_object::StrictObject};
use crate::named_secrets;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChatTemplate {
    chat: Option<StrictObject<ChatTurns>>,
    #[serde(default)]
    tools: StrictObject<ToolsTable>,
    model: Option<String>,
    #[serde(default)]
    checks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChatTurns {
    #[serde(default)]
    user: Vec<StrictObject<ChatTurn>>,
    #[serde(default)]
    assistant: Vec<StrictObject<ChatTurn>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChatTurn {
    content: Spanned<String>,
}

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

pub(super) fn read(text: &str) -> Result<(TaskHeader, String), TaskFileError> {
    let StrictObject(page): StrictObject<ChatTemplate> =
        toml::from_str(text).map_err(|error| TaskFileError::Toml(one_line(&error.to_string(), text)))?;
    let StrictObject(ChatTurns { user, assistant }) = page.chat.ok_or(TaskFileError::NoChat)?;
    let of = |who: &'static str, turns: Vec<StrictObject<ChatTurn>>| {
        turns.into_iter().map(move |StrictObject(turn)| (who, turn.content))
    };
    let mut turns: Vec<_> = of(USER, user).chain(of(ASSISTANT, assistant)).collect();
    // Each list comes by itself; what was said after what is seen by the places.
    turns.sort_by_key(|(_, content)| content.span().start);
    if turns.iter().any(|(_, content)| text[content.span()].starts_with("\"\"\"")) {
        return Err(TaskFileError::Quotes);
    }
    in_turn(&turns)?;
    let head = TaskHeader { tools: page.tools, model: page.model, checks: page.checks };
    Ok((head, as_text(turns)))
}

/// They take turns, from the user to the user.
fn in_turn(turns: &[(&'static str, Spanned<String>)]) -> Result<(), TaskFileError> {
    let who = |turn: Option<&(&'static str, Spanned<String>)>| turn.map(|(who, _)| *who);
    if turns.is_empty() {
        return Err(TaskFileError::NoChat);
    }
    if who(turns.first()) != Some(USER) {
        return Err(TaskFileError::BeginsWithAssistant);
    }
    if let Some(at) = turns.windows(2).position(|pair| pair[0].0 == pair[1].0) {
        return Err(TaskFileError::TwiceInARow(at + 1, at + 2, turns[at].0));
    }
    if who(turns.last()) != Some(USER) {
        return Err(TaskFileError::EndsWithAssistant);
    }
    Ok(())
}

/// Returns the chat as one text. If there are several turns, each names its speaker.
fn as_text(turns: Vec<(&'static str, Spanned<String>)>) -> String {
    let is_alone = turns.len() == 1;
    let texts = turns.into_iter().map(|(who, content)| match (is_alone, content.into_inner()) {
        (true, text) => text,
        (false, text) if who == USER => format!("The user:\n{}", text.trim()),
        (false, text) => format!("The assistant answered:\n{}", text.trim()),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Returns a message of the parser, which draws the place on several lines, without the secrets of this text.
fn one_line(message: &str, text: &str) -> String {
    output::one_line(&Redactor::new(named_secrets::find("task.toml", text)).redact(message))
}
