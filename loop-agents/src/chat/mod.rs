//! Chat models with tools, and turns with them that a loop can repeat.
//!
//! A program that calls a model soon has a loop inside: the model asks for a tool, the tool answers, the model asks
//! again. Agents often fail in such a handwritten loop. It never ends, because a model always finds one more file to
//! read. It discards results before the model has read them, or at the limit, when all of them were there. After a
//! broken connection it repeats actions that it must not repeat. Or the turn waits for somebody to press a key.
//!
//! Here a [`Turn`] is itself a [`Loop`](loop_core::Loop), with the same guardrails, and a whole conversation
//! ([`ChatAgent`]) is an iteration of the loop around it:
//!
//! | part | is |
//! | --- | --- |
//! | [`ChatModel`] | what answers; `GenaiModel` (the feature `genai`) asks a server, [`ScriptedModel`] is for tests |
//! | [`Retry`], [`ProseTools`] | a model around a model: asked again, or given tools that it does not have |
//! | [`Chat`] | a conversation: model, [tools](crate::tools), [`History`] |
//! | [`Turn`] | a prompt, rounds of calls, a reply; within [`TurnLimits`] |
//! | [`ContextMeasure`], [`Summary`] | how full the model's window is, and what makes room in it |
//! | [`ChatAgent`] | an iteration that is a turn |
//!
//! These rules hold for every turn:
//!
//! - Every result reaches the model once, whole. Later, compaction may [remove](TurnLimits::kept_result_bytes) results
//!   that the model has read.
//! - At the limit of rounds the model answers without tools, with all results before it.
//! - A turn without a reply (cancelled, failed, cut) leaves the conversation as it was.
//! - Nothing asks a person, and nothing reads standard input or the environment.

mod agent;
mod attachment;
mod compaction;
mod context;
mod error;
mod history;
mod message;
mod model;
mod prose;
mod retry;
mod scripted;
mod turn;
mod vendor;

#[cfg(feature = "genai")]
mod genai;

#[cfg(feature = "genai")]
pub use self::genai::{
    DEFAULT_OLLAMA_WINDOW, Effort, Endpoint, GenaiError, GenaiModel, ServerLocation, UnknownEffort,
};
pub use self::{
    agent::ChatAgent,
    attachment::Attachment,
    compaction::DEFAULT_KEPT_BYTES,
    context::{
        AFTER_SUMMARY, ContextFill, ContextMeasure, ContextParts, DEFAULT_KEPT_MESSAGES, SUMMARISE_AT,
        Summary, SummaryError, SummaryRequest, SummaryRules,
    },
    error::{ModelError, ModelErrorKind},
    history::History,
    message::{AnsweredCall, Message, ToolCall},
    model::{ChatModel, Delta, OnDelta, Reply, Request, SmallerWindow},
    prose::{AutoTools, FencedBlock, ProseTools, WithoutTools, fenced_blocks, written_calls},
    retry::Retry,
    scripted::{RecordedRequest, ScriptedModel},
    turn::{Chat, DEFAULT_ROUNDS, ToolCallSummary, Turn, TurnError, TurnEvent, TurnLimits, TurnOutput},
    vendor::Vendor,
};
pub(crate) use self::{model::metered, turn::LEAST_WAIT};
#[cfg(feature = "genai")]
pub use secrecy::SecretString;
