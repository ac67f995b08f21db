//! `loop kb`: notes on projects.

use std::process::ExitCode;

use loop_knowledge::notes::ObservationKind;
use loop_session::knowledge::NotesRequest;

use super::{
    Failure,
    rag::{known, show},
};
use crate::{
    args::{ConceptCommand, KbArgs, KbCommand, ProjectCommand},
    exit,
};

pub(crate) fn exec(args: &KbArgs) -> Result<ExitCode, Failure> {
    let reply = request(&args.command).run(&known(&args.place)?)?;
    show(&reply, args.place.json);
    Ok(ExitCode::from(if reply.is_empty { exit::NOT_FOUND } else { exit::OK }))
}

fn request(command: &KbCommand) -> NotesRequest {
    match command {
        KbCommand::Status => NotesRequest::Status,
        KbCommand::Search { text } => NotesRequest::Search { text: text.join(" ") },
        KbCommand::Observe { words } => observation(words),
        KbCommand::Project(ProjectCommand::List) => NotesRequest::ListProjects,
        KbCommand::Project(ProjectCommand::Add { name, description }) => {
            NotesRequest::AddProject { name: name.clone(), description: description.join(" ") }
        }
        KbCommand::Project(ProjectCommand::Use { name }) => NotesRequest::UseProject { name: name.clone() },
        KbCommand::Project(ProjectCommand::Drop { name, force }) => {
            NotesRequest::DeleteProject { name: name.clone(), force: *force }
        }
        KbCommand::Concept(ConceptCommand::List) => NotesRequest::ListConcepts,
        KbCommand::Concept(ConceptCommand::Add { name, description }) => {
            NotesRequest::AddConcept { name: name.clone(), description: description.join(" ") }
        }
    }
}

/// Reads `[KIND] TEXT`. A kind alone is a text.
fn observation(words: &[String]) -> NotesRequest {
    let kind = words.first().and_then(|word| word.parse::<ObservationKind>().ok());
    match (kind, words) {
        (Some(kind), [_, text @ ..]) if !text.is_empty() => {
            NotesRequest::Observe { kind, text: text.join(" ") }
        }
        _ => NotesRequest::Observe { kind: ObservationKind::default(), text: words.join(" ") },
    }
}
