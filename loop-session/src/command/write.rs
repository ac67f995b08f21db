//! `/write`: the last reply, in a file.

use async_trait::async_trait;
use loop_agents::chat::Message;

use super::{About, Command, Takes};
use crate::{InputError, Session};

pub(crate) struct Write;

const ABOUT: About = About {
    name: "write",
    aliases: &[],
    arguments: "PATH",
    summary: "Write the first code of the last reply to a file",
    help: "The first fenced code of the last reply, or the whole reply if there is none. Code that nothing closes goes to the \
           end of the reply; that is said, and so is that a file was there and is replaced.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Write {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = ABOUT.words(arguments)?;
        let [path] = &words[..] else { return Err(ABOUT.misused("one file is written")) };
        let replies = session.dialogue.chat.history().messages().iter().rev();
        let mut replies = replies.filter(|message| matches!(message, Message::Assistant { .. }));
        let reply =
            replies.next().map(Message::text).ok_or_else(|| InputError::refused("there is no reply yet"))?;
        let (content, is_cut) = match first_code(reply) {
            Some(Code { text, is_closed }) => (text, !is_closed),
            None if reply.trim().is_empty() => return Err(InputError::refused("the last reply is empty")),
            None => (format!("{}\n", reply.trim_end()), false),
        };
        let said = session.write(path, &content).await?;
        session.say(&said);
        if is_cut {
            session.warn("nothing closes the code of the last reply: it may be cut");
        }
        Ok(())
    }
}

/// What is in a fence.
#[derive(Debug, PartialEq, Eq)]
struct Code {
    text: String,
    /// Else it goes to the end: the reply was cut, or the model forgot.
    is_closed: bool,
}

/// What is in the first fence of a text.
fn first_code(text: &str) -> Option<Code> {
    let mut lines = text.lines();
    let fence = lines.find_map(|line| {
        let line = line.trim_start();
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let fence: String = line.chars().take_while(|next| *next == sign).collect();
        (fence.len() >= 3).then_some(fence)
    })?;
    let mut code = String::new();
    for line in lines {
        let is_end = line.trim().starts_with(&fence)
            && line.trim().trim_matches(fence.chars().next().unwrap_or_default()).is_empty();
        if is_end {
            return Some(Code { text: code, is_closed: true });
        }
        code.push_str(line);
        code.push('\n');
    }
    Some(Code { text: code, is_closed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fence_is_the_code() {
        for (reply, code) in [
            ("see\n```rust\nfn a() {}\n\nb\n```\n```\nc\n```", Some(("fn a() {}\n\nb\n", true))),
            ("~~~\n```\n~~~", Some(("```\n", true))),
            ("````md\n```\nx\n```\n````", Some(("```\nx\n```\n", true))),
            ("see\n```\ncut", Some(("cut\n", false))),
            ("no code", None),
        ] {
            let code = code.map(|(text, is_closed)| Code { text: text.to_owned(), is_closed });
            assert_eq!(first_code(reply), code, "{reply}");
        }
    }
}
