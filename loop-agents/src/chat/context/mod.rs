//! Room for long conversations.
//!
//! A model reads the whole conversation for each reply. Some servers silently cut off whatever does not fit into its
//! window: the model forgets earlier agreements, and nobody notices. This module helps in three ways:
//!
//! - [`measure`](crate::chat::Chat::measure) tells you how full the window is before you send more,
//! - [`summarise`](crate::chat::Chat::summarise) replaces older turns by a summary in time,
//! - [`pin`](crate::chat::Chat::pin) protects messages that the model must not forget.

mod due;
mod measure;
mod room;
mod summary;

#[cfg(feature = "genai")]
pub(super) use self::measure::request_tokens;
pub(super) use self::{
    due::SummaryEffect,
    measure::{BYTES_PER_TOKEN, Counted, text_tokens},
};
pub use self::{
    due::{AFTER_SUMMARY, SummaryRules},
    measure::{ContextFill, ContextMeasure, ContextParts, SUMMARISE_AT},
    summary::{DEFAULT_KEPT_MESSAGES, Summary, SummaryError, SummaryRequest},
};
