//! `/rag`: reads documents into a store, and finds them.

use async_trait::async_trait;

use super::show;
use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session,
    knowledge::RagRequest, split_word,
};

pub(in crate::command) struct RagCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "rag",
    aliases: &[],
    arguments: "list | new NAME [EMBEDDER] | use NAME | drop NAME | ingest [--prune] PATH... | status | query TEXT | on \
                | off",
    summary: "Read documents into a store, and find them again",
    help: "A store has the chunks of files of this folder. `/rag on` puts the best hits before each prompt, under \
           `### Context (from knowledge base)`; they are part of that request and not of the conversation. A store \
           finds words, and with the embedder `hashed` also parts of words. A model that embeds, such as \
           `ollama:nomic-embed-text`, also finds texts with the same meaning. In folders, the command skips files \
           that are hidden, ignored by git, binary, secret or over 1 MiB. The policy decides whether `pdfinfo` and \
           `pdftotext` read PDF files.",
    argument_kind: ArgumentKind::Words(&[
        "list", "new", "use", "drop", "ingest", "status", "query", "on", "off",
    ]),
};

#[async_trait]
impl Command for RagCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        // Whoever repeats a line may not be a person.
        match split_word(arguments).0 {
            "drop" => RepeatEffect::Removes,
            "on" | "off" | "use" => RepeatEffect::Rules,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let request = parse(arguments)?;
        let stop = session.stop();
        let known = match request {
            RagRequest::Ingest { .. } => session.knowledge_with_programs()?,
            _ => session.knowledge()?,
        };
        let reply = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            reply = request.run(&known) => reply?,
        };
        show(&reply, session);
        Ok(())
    }
}

fn parse(arguments: &str) -> Result<RagRequest, InputError> {
    let (word, rest) = split_word(arguments);
    let name = || match split_word(rest) {
        ("", _) => Err(INFO.misused("the name of the store is missing")),
        (name, "") => Ok(name.to_owned()),
        _ => Err(INFO.misused("the name of a store is one word")),
    };
    Ok(match (word, rest) {
        ("list", "") => RagRequest::List,
        ("new", _) => match split_word(rest) {
            (_, "") => RagRequest::Create { name: name()?, embedder: "none".to_owned() },
            (name, embedder) => RagRequest::Create { name: name.to_owned(), embedder: embedder.to_owned() },
        },
        ("use", _) => RagRequest::Use { name: name()? },
        ("drop", _) => RagRequest::Delete { name: name()? },
        ("ingest", _) => {
            let words = INFO.words(rest)?;
            let prune = words.iter().any(|word| word == "--prune");
            let paths: Vec<_> = words.into_iter().filter(|word| word != "--prune").map(Into::into).collect();
            if paths.is_empty() {
                return Err(INFO.misused("the files or folders are missing"));
            }
            RagRequest::Ingest { paths, prune, store: None }
        }
        ("status" | "", "") => RagRequest::Status,
        ("query", "") => return Err(INFO.misused("the text is missing")),
        ("query", text) => RagRequest::Query { text: text.to_owned(), top_k: None, store: None },
        ("on", "") => RagRequest::Switch { on: true },
        ("off", "") => RagRequest::Switch { on: false },
        _ => return Err(INFO.misused(format!("`{arguments}` is not understood"))),
    })
}
