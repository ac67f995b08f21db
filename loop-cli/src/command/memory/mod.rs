//! `loop memory`: what earlier work taught.

mod mine;
mod prompts;
mod records;
mod review;

use std::process::ExitCode;

use loop_knowledge::memory::NewMemory;
use loop_session::knowledge::{MemoryChange, MemoryRequest, RecallRequest};

pub(super) use self::prompts::{for_prompts, reward, tools};
pub(crate) use self::records::to_mine;
use super::{
    Failure,
    environment::{block_on, unless_signalled},
    rag::{known, show},
};
use crate::{
    args::{MemoryArgs, MemoryCommand},
    exit,
};

pub(crate) fn exec(args: &MemoryArgs) -> Result<ExitCode, Failure> {
    let request = match &args.command {
        MemoryCommand::Mine(mine) => return mine::exec(mine, &args.place),
        MemoryCommand::Recall { text, for_run: true, max_tokens, .. } => {
            return prompts::print(&text.join(" "), *max_tokens, &args.place);
        }
        command => request(command),
    };
    let known = known(&args.place)?;
    let mut is_empty = false;
    let code = block_on(unless_signalled(async {
        let reply = request.run(&known).await?;
        is_empty = reply.is_empty;
        show(&reply, args.place.json);
        Ok(())
    }))?;
    Ok(if is_empty { ExitCode::from(exit::NOT_FOUND) } else { code })
}

fn request(command: &MemoryCommand) -> MemoryRequest {
    let change = |change, id: &String| MemoryRequest::Change { change, id: id.clone() };
    match command {
        MemoryCommand::List { memory_type, all } => {
            MemoryRequest::List { memory_type: *memory_type, all: *all }
        }
        MemoryCommand::Show { id } => MemoryRequest::Show { id: id.clone() },
        MemoryCommand::Add { memory_type, summary, kind, body, applies_to } => {
            MemoryRequest::Add(NewMemory {
                kind: *kind,
                applies_to: applies_to.clone(),
                ..NewMemory::new(*memory_type, summary.join(" "), body.clone())
            })
        }
        MemoryCommand::Flag { id } => change(MemoryChange::Flag, id),
        MemoryCommand::Keep { id } => change(MemoryChange::Keep, id),
        MemoryCommand::Forget { id } => change(MemoryChange::Forget, id),
        MemoryCommand::Accept { id } => change(MemoryChange::Accept, id),
        MemoryCommand::Reject { id } => change(MemoryChange::Reject, id),
        MemoryCommand::Recall { text, max_tokens, notes, .. } => MemoryRequest::Recall(RecallRequest {
            max_tokens: *max_tokens,
            notes: *notes,
            ..RecallRequest::new(text.join(" "))
        }),
        MemoryCommand::Profile { template } => MemoryRequest::Profile { template: *template },
        MemoryCommand::Status | MemoryCommand::Mine(_) => MemoryRequest::Status,
    }
}
