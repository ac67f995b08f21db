//! The room that a long conversation needs.
//!
//! A model reads the whole conversation for each reply, and what does not fit into its window is cut off by a server
//! that says nothing of it: the model forgets what was agreed on in the morning, and nobody knows since when. So one
//! can [measure](crate::chat::Chat::measure) how full the window is, before something is sent as well; older turns
//! are replaced by a [summary](crate::chat::Chat::summarise) in time; and what must not be forgotten is
//! [pinned](crate::chat::Chat::pin).

mod measure;
mod summary;

pub(super) use self::measure::Counted;
pub use self::{
    measure::{ContextMeasure, Fill, SUMMARISE_AT},
    summary::{DEFAULT_KEPT_MESSAGES, Summarising, Summary, SummaryError},
};
