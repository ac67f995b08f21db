//! The defaults and numeric limits that validation enforces, and that the schema gives to editors.

/// The prompt of an agent if the manifest has none: to reach the goal, without a short cut.
pub(crate) const DEFAULT_PROMPT: &str = include_str!("default_prompt.md");

/// The shortest time limit: the resolution of the clock that a person would notice.
pub(crate) const MIN_SECONDS: f64 = 0.001;

/// A hundred years. Beyond it, adding to the clock may overflow, and nobody means it.
pub(crate) const MAX_SECONDS: f64 = 100.0 * 365.25 * 86_400.0;

/// The default pause after a failed iteration, in seconds.
pub(crate) const BACKOFF_SECONDS: u64 = 1;

/// The longest wait of a failing loop: a base beyond it would be no base.
pub(crate) const MAX_BACKOFF_SECONDS: f64 = 60.0;

/// The default maximum of tool calls by a model in a review.
pub(crate) const REVIEW_ROUNDS: u64 = 15;

/// The maximum nesting of conditions in `stop_condition`.
pub(crate) const MAX_CONDITION_DEPTH: usize = 8;

/// The most loops that run at once. Each has its own agent and its own copy of the folder.
pub(crate) const MAX_LANES: usize = 64;

/// The head, the tail and the note between them need this much room to be useful.
pub(crate) const MIN_FEEDBACK_BYTES: usize = 256;

/// The default maximum of text that a placeholder brings into the prompt, in bytes.
pub(crate) const FEEDBACK_BYTES: usize = 32 << 10;

/// The most tokens of `{memory}` in a prompt, unless the manifest says otherwise.
pub(crate) const MEMORY_TOKENS: u64 = 512;

/// The largest gain of a score that can be asked for.
pub(crate) const MAX_GAIN: f64 = 1e12;
