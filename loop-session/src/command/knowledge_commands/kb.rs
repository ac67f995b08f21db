//! `/kb`: notes on projects.

use async_trait::async_trait;
use loop_knowledge::{DATA_NOTICE, indented_data, notes::ObservationKind};

use super::show;
use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session,
    knowledge::NotesRequest, split_word,
};

pub(in crate::command) struct KbCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Context,
    name: "kb",
    aliases: &[],
    arguments: "status | search TEXT | inject TEXT | project list | project add|use NAME | project drop NAME [--force] \
                | observe [KIND] TEXT | concept list | concept add NAME [DESCRIPTION]",
    summary: "Keep notes on projects, and show them to the model",
    help: "An observation is a note, finding, decision, question or hypothesis; without a kind it is a note. It \
           belongs to the project in use. `/kb inject` puts the notes that fit a text into the conversation. \
           `/kb project add NAME: DESCRIPTION` also describes the project.",
    argument_kind: ArgumentKind::Words(&["status", "search", "inject", "project", "observe", "concept"]),
};

#[async_trait]
impl Command for KbCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        match split_word(arguments) {
            ("project", rest) if split_word(rest).0 == "drop" => RepeatEffect::Removes,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let known = session.knowledge()?;
        if let ("inject", text) = split_word(arguments) {
            if text.is_empty() {
                return Err(INFO.misused("the text is missing"));
            }
            let reply = NotesRequest::Search { text: text.to_owned() }.run(&known)?;
            if !reply.is_empty {
                session.add_to_context(
                    "notes of the user",
                    &format!("{DATA_NOTICE}\n{}", indented_data(&reply.text)),
                );
            }
            show(&reply, session);
            return Ok(());
        }
        show(&parse(arguments)?.run(&known)?, session);
        Ok(())
    }
}

fn parse(arguments: &str) -> Result<NotesRequest, InputError> {
    let (word, rest) = split_word(arguments);
    let (second, more) = split_word(rest);
    Ok(match (word, second) {
        ("status" | "", "") => NotesRequest::Status,
        ("observe" | "search", "") => return Err(INFO.misused("the text is missing")),
        ("search", _) => NotesRequest::Search { text: rest.to_owned() },
        ("observe", _) => match second.parse::<ObservationKind>() {
            Ok(kind) if !more.is_empty() => NotesRequest::Observe { kind, text: more.to_owned() },
            _ => NotesRequest::Observe { kind: ObservationKind::default(), text: rest.to_owned() },
        },
        ("project", "list") => NotesRequest::ListProjects,
        ("project", "add") => {
            let (name, description) = more.split_once(':').unwrap_or((more, ""));
            NotesRequest::AddProject { name: name.to_owned(), description: description.trim().to_owned() }
        }
        ("project", "use") => NotesRequest::UseProject { name: more.to_owned() },
        ("project", "drop") => match more.strip_suffix("--force") {
            Some(name) => NotesRequest::DeleteProject { name: name.trim().to_owned(), force: true },
            None => NotesRequest::DeleteProject { name: more.to_owned(), force: false },
        },
        ("concept", "list") => NotesRequest::ListConcepts,
        ("concept", "add") => {
            let (name, description) = split_word(more);
            NotesRequest::AddConcept { name: name.to_owned(), description: description.to_owned() }
        }
        _ => return Err(INFO.misused(format!("`{arguments}` is not understood"))),
    })
}
