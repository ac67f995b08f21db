//! Facts about models: how much they read, and what they accept.
//!
//! A conversation that is longer than the window of its model loses its beginning, and most servers do not report it.
//! So a program has to know the window before it sends anything. Several places know a part: the user, the server, and
//! a table of the models of known vendors that comes with this crate. A [`Fact`] names its place and its time, so that
//! people can judge it.
//!
//! ```
//! use loop_agents::facts::{FactSource, ModelFacts};
//! let bundled = ModelFacts::bundled("claude-sonnet-4-5-20250929");
//! let known = ModelFacts::from_settings(Some(100_000), None).or(bundled);
//! assert_eq!(known.window.map(|fact| (fact.value, fact.source)), Some((100_000, FactSource::Settings)));
//! assert_eq!(known.tools.map(|fact| fact.source), Some(FactSource::Bundled));
//! ```

mod bundled;
mod fact;
#[cfg(feature = "genai")]
mod list;
#[cfg(feature = "genai")]
mod ollama;
#[cfg(feature = "genai")]
mod open_ai;

pub use self::fact::{Fact, FactSource, ModelFacts};
#[cfg(feature = "genai")]
pub use self::list::ListedModel;
