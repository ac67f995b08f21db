//! Commands for what is known about the folder: documents, notes and memories.

mod kb;
mod memory;
mod rag;

pub(crate) use self::memory::mine_records;
pub(super) use self::{
    kb::KbCommand,
    memory::{MemoryCommand, RecallCommand},
    rag::RagCommand,
};
use crate::{Session, knowledge::KnowledgeReply};

/// Shows a reply to the person.
fn show(reply: &KnowledgeReply, session: &Session) {
    session.say(&session.host().printable(&reply.text));
    reply.remarks.iter().for_each(|remark| session.warn(&session.host().printable(remark)));
}
