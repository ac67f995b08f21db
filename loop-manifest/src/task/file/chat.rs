//! A chat template in TOML.

use serde::Deserialize;
use toml::Spanned;

use super::{Head, TaskFileError, Tools, object::Object};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    chat: Option<Object<Turns>>,
    #[serde(default)]
    tools: Object<Tools>,
    model: Option<String>,
    #[serde(default)]
    checks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turns {
    #[serde(default)]
    user: Vec<Object<Turn>>,
    #[serde(default)]
    assistant: Vec<Object<Turn>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    content: Spanned<String>,
}

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

pub(super) fn read(text: &str) -> Result<(Head, String), TaskFileError> {
    let Object(page): Object<Page> =
        toml::from_str(text).map_err(|error| TaskFileError::Toml(one_line(&error.to_string())))?;
    let Object(Turns { user, assistant }) = page.chat.ok_or(TaskFileError::NoChat)?;
    let of = |who: &'static str, turns: Vec<Object<Turn>>| {
        turns.into_iter().map(move |Object(turn)| (who, turn.content))
    };
    let mut turns: Vec<_> = of(USER, user).chain(of(ASSISTANT, assistant)).collect();
    // Each list comes by itself; what was said after what is seen by the places.
    turns.sort_by_key(|(_, content)| content.span().start);
    if turns.iter().any(|(_, content)| text[content.span()].starts_with("\"\"\"")) {
        return Err(TaskFileError::Quotes);
    }
    in_turn(&turns)?;
    let head = Head { tools: page.tools, model: page.model, checks: page.checks };
    Ok((head, told(turns)))
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
fn told(turns: Vec<(&'static str, Spanned<String>)>) -> String {
    let is_alone = turns.len() == 1;
    let texts = turns.into_iter().map(|(who, content)| match (is_alone, content.into_inner()) {
        (true, text) => text,
        (false, text) if who == USER => format!("The user:\n{}", text.trim()),
        (false, text) => format!("The assistant answered:\n{}", text.trim()),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The parser draws the place on several lines.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
