//! `/write`: writes the last reply to a file.

use async_trait::async_trait;
use loop_agents::chat::Message;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct WriteCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "write",
    aliases: &[],
    arguments: "PATH",
    summary: "Write the first code block of the last reply to a file",
    help: "The file gets the first fenced code block of the last reply, or the whole reply if there is none. If the \
           block is not closed, it ends with the reply. The command warns about that, and about a file that it \
           replaced.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for WriteCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let [path] = &words[..] else { return Err(INFO.misused("give one file")) };
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
            session.warn("the last reply does not close its code block: the code may be cut");
        }
        Ok(())
    }
}

/// The content of a code fence.
#[derive(Debug, PartialEq, Eq)]
struct Code {
    text: String,
    /// If false, the code runs to the end of the reply: the reply was cut, or the model forgot the closing fence.
    is_closed: bool,
}

/// Returns the content of the first code fence in a text.
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
