//! Commands for what is known about the folder: documents and notes.

mod kb;
mod rag;

pub(super) use self::{kb::KbCommand, rag::RagCommand};
use crate::{Session, knowledge::KnowledgeReply};

/// Shows a reply to the person.
fn show(reply: &KnowledgeReply, session: &Session) {
    session.say(&session.host().printable(&reply.text));
    reply.remarks.iter().for_each(|remark| session.warn(&session.host().printable(remark)));
}
