//! `/memory` and `/recall`: what earlier work taught.

use async_trait::async_trait;
use loop_knowledge::memory::{MemoryType, NewMemory};

use super::show;
use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session,
    knowledge::{KnowledgeReply, MemoryChange, MemoryRequest, RecallRequest},
    split_word,
};

pub(in crate::command) struct MemoryCommand;
pub(in crate::command) struct RecallCommand;

const MEMORY: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "memory",
    aliases: &[],
    arguments: "list [TYPE] | show ID | add TYPE SUMMARY | flag|keep|forget ID | accept|reject ID | status | recall TEXT \
                | profile [TEMPLATE]",
    summary: "List and change what earlier work taught",
    help: "A memory has a confidence. `/memory flag` lowers it, and the third flag archives a new memory. Proposals \
           count only after `/memory accept`. `loop memory mine` finds proposals in earlier runs and sessions.",
    argument_kind: ArgumentKind::Words(&[
        "list", "show", "add", "flag", "keep", "forget", "accept", "reject", "status", "recall", "profile",
    ]),
};

const RECALL: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "recall",
    aliases: &[],
    arguments: "TEXT",
    summary: "Put what is known about a text into the conversation",
    help: "Recalls the profile, facts, experiences and, if retrieval is on, documents, within a quarter of the \
           model's window. The model reads them with the next prompt, as data.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for MemoryCommand {
    fn info(&self) -> &'static CommandInfo {
        &MEMORY
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments).0 {
            "forget" => RepeatEffect::Removes,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let known = session.knowledge()?;
        let reply = parse(arguments)?.run(&known).await?;
        show(&reply, session);
        Ok(())
    }
}

fn parse(arguments: &str) -> Result<MemoryRequest, InputError> {
    let (word, rest) = split_word(arguments);
    if let Some(change) = MemoryChange::named(word) {
        return Ok(MemoryRequest::Change { change, id: id(rest)? });
    }
    Ok(match (word, rest) {
        ("status" | "", "") => MemoryRequest::Status,
        ("list", "") => MemoryRequest::List { memory_type: None, all: false },
        ("list", word) => MemoryRequest::List { memory_type: Some(memory_type(word)?), all: false },
        ("show", _) => MemoryRequest::Show { id: id(rest)? },
        ("add", _) => {
            let (word, summary) = split_word(rest);
            MemoryRequest::Add(NewMemory::new(memory_type(word)?, summary, ""))
        }
        ("recall", text) if !text.is_empty() => MemoryRequest::Recall(RecallRequest::new(text)),
        ("profile", "") => MemoryRequest::Profile { template: None },
        ("profile", name) => {
            let template = name.parse().map_err(|error| MEMORY.misused(format!("{error}")))?;
            MemoryRequest::Profile { template: Some(template) }
        }
        _ => return Err(MEMORY.misused(format!("`{arguments}` is not understood"))),
    })
}

fn memory_type(word: &str) -> Result<MemoryType, InputError> {
    word.parse().map_err(|error| MEMORY.misused(format!("{error}")))
}

fn id(rest: &str) -> Result<String, InputError> {
    if rest.is_empty() { Err(MEMORY.misused("the id is missing")) } else { Ok(rest.to_owned()) }
}

#[async_trait]
impl Command for RecallCommand {
    fn info(&self) -> &'static CommandInfo {
        &RECALL
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if arguments.is_empty() {
            return Err(RECALL.misused("the text is missing"));
        }
        if !session.recall(arguments, true).await? {
            let text = "nothing is known about this".to_owned();
            show(&KnowledgeReply { text, is_empty: true, ..KnowledgeReply::default() }, session);
        }
        Ok(())
    }
}
