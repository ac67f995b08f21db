//! Commands for what the model knows: the conversation and the pinned text.

mod clear;
mod context;
mod init;
mod summarize;

pub(super) use self::{
    clear::ClearCommand, context::ContextCommand, init::InitCommand, summarize::SummarizeCommand,
};
