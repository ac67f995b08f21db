//! `/memory` and `/recall`: what earlier work taught.

use async_trait::async_trait;
use loop_core::CancellationToken;
use loop_knowledge::memory::{Memory, MemoryType, NewMemory};

use super::show;
use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session,
    knowledge::{
        ChatExtractor, KnowledgeError, KnowledgeReply, MemoryChange, MemoryRequest, MiningChoice,
        MiningEvent, RecallRequest,
    },
    split_word,
};

pub(in crate::command) struct MemoryCommand;
pub(in crate::command) struct RecallCommand;

const MEMORY: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "memory",
    aliases: &[],
    arguments: "list [TYPE] | show ID | add TYPE SUMMARY | flag|keep|forget ID | accept|reject ID | status | recall TEXT \
                | profile [TEMPLATE] | mine [SESSION]",
    summary: "List and change what earlier work taught",
    help: "A memory has a confidence. `/memory flag` lowers it, and the third flag archives a new memory. Proposals \
           count only after `/memory accept`. `/memory mine` lets the model propose memories from the runs and sessions of \
           this folder that changed since then, or from one session.",
    argument_kind: ArgumentKind::Words(&[
        "list", "show", "add", "flag", "keep", "forget", "accept", "reject", "status", "recall", "profile",
        "mine",
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
        if let ("mine", rest) = split_word(arguments) {
            return mine(rest, session).await;
        }
        let known = session.knowledge()?;
        let reply = parse(arguments)?.run(&known).await?;
        show(&reply, session);
        Ok(())
    }
}

/// Lets the model propose memories from one session, or from all that changed.
async fn mine(named: &str, session: &mut Session) -> Result<(), InputError> {
    let choice = match named {
        "" => MiningChoice::Changed,
        session => MiningChoice::Session(session.to_owned()),
    };
    let stop = session.stop();
    if mine_records(session, &choice, &stop).await? {
        session.say("they count once you accept them: `/memory accept ID`, or `/memory reject ID`");
    }
    Ok(())
}

/// Lets the model of the session propose memories from records. They wait for a person, unless the user's settings accept
/// all. Returns whether any wait.
pub(crate) async fn mine_records(
    session: &mut Session,
    choice: &MiningChoice,
    stop: &CancellationToken,
) -> Result<bool, InputError> {
    let Some(model) = &session.dialogue.model else { return Err(InputError::NoModel) };
    let window = model.window();
    let extractor = ChatExtractor::new(model.boxed(session.context.execution.seed()));
    let known = session.knowledge()?;
    let mut memories = known.memories()?;
    let mined = memories.mined_texts().map_err(KnowledgeError::from)?;
    let records = session.host().records(session.context.execution.folder(), choice, &mined);
    let records = records.map_err(KnowledgeError::Record)?;
    if records.is_empty() {
        session.say("there is nothing new to mine");
        return Ok(false);
    }
    let host = session.host().clone();
    let on_event = move |event: MiningEvent| match &event {
        MiningEvent::Skipped(_) => host.warn(&host.printable(&event.words())),
        _ => host.say(&host.printable(&event.words())),
    };
    let mining = known.mine(&mut memories, records, choice, &extractor, window, on_event);
    let done = tokio::select! {
        biased;
        () = stop.cancelled() => Err(InputError::Interrupted),
        done = mining => done.map_err(InputError::from),
    };
    session.dialogue.usage += extractor.usage();
    done?;
    let proposals = memories.proposals().map_err(KnowledgeError::from)?;
    let accepts_all = known.rules().accepts_all && known.has_person();
    for proposal in &proposals {
        let request = MemoryRequest::Change { change: MemoryChange::Accept, id: proposal.id.clone() };
        let reply = if accepts_all { request.run(&known).await? } else { listed(proposal) };
        show(&reply, session);
    }
    Ok(!accepts_all && !proposals.is_empty())
}

fn listed(proposal: &Memory) -> KnowledgeReply {
    let text = format!("{} {}: {}", proposal.id, proposal.content.memory_type, proposal.content.summary);
    KnowledgeReply { text, ..KnowledgeReply::default() }
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
        if session.recall(arguments, true).await? == 0 {
            let text = "nothing is known about this".to_owned();
            show(&KnowledgeReply { text, is_empty: true, ..KnowledgeReply::default() }, session);
        }
        Ok(())
    }
}
