//! Numbers that validation holds values to, and that the schema tells editors.

/// The shortest time limit: the resolution of the clock that a person would notice.
pub(crate) const MIN_SECONDS: f64 = 0.001;

/// A hundred years. Beyond it, adding to the clock may overflow, and nobody means it.
pub(crate) const MAX_SECONDS: f64 = 100.0 * 365.25 * 86_400.0;

/// What a failing loop waits when the manifest does not say.
pub(crate) const BACKOFF_SECONDS: u64 = 1;

/// The longest wait of a failing loop: a base beyond it would be no base.
pub(crate) const MAX_BACKOFF_SECONDS: f64 = 60.0;

/// How often a model may call tools in a review when the manifest does not say.
pub(crate) const REVIEW_ROUNDS: u64 = 15;

/// How deep conditions can be nested in `stop_condition`.
pub(crate) const MAX_CONDITION_DEPTH: usize = 8;

/// Head, tail and the note between them need some room to say anything.
pub(crate) const MIN_FEEDBACK_BYTES: usize = 256;

/// What a placeholder may bring into the prompt when the manifest does not say.
pub(crate) const FEEDBACK_BYTES: usize = 32 << 10;
