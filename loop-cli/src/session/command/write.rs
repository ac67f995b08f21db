//! `/write`: the last reply, in a file.

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use loop_agents::chat::Message;

use super::{About, Command, Takes};
use crate::session::Session;

pub(super) struct Write;

const ABOUT: About = About {
    name: "write",
    aliases: &[],
    arguments: "PATH",
    summary: "Write the first code of the last reply to a file",
    help: "The first fenced code of the last reply, or the whole reply if there is none. A file that is there is replaced, and \
           that is said.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for Write {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> anyhow::Result<()> {
        let words = ABOUT.words(arguments)?;
        let [path] = &words[..] else { return Err(ABOUT.misused("one file is written")) };
        let replies = session.chat.history().messages().iter().rev();
        let mut replies = replies.filter(|message| matches!(message, Message::Assistant { .. }));
        let reply = replies.next().map(Message::text).context("there is no reply yet")?;
        let content = match first_code(reply) {
            Some(code) => code,
            None if reply.trim().is_empty() => return Err(anyhow!("the last reply is empty")),
            None => format!("{}\n", reply.trim_end()),
        };
        let said = session.write(path, &content).await?;
        session.say(&said);
        Ok(())
    }
}

/// What is in the first fence of a text. One that nothing closes is none: the reply was cut.
fn first_code(text: &str) -> Option<String> {
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
            return Some(code);
        }
        code.push_str(line);
        code.push('\n');
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_whole_fence_is_the_code() {
        for (reply, code) in [
            ("see\n```rust\nfn a() {}\n\nb\n```\n```\nc\n```", Some("fn a() {}\n\nb\n")),
            ("~~~\n```\n~~~", Some("```\n")),
            ("````md\n```\nx\n```\n````", Some("```\nx\n```\n")),
            ("```\ncut", None),
            ("no code", None),
        ] {
            assert_eq!(first_code(reply).as_deref(), code, "{reply}");
        }
    }
}
