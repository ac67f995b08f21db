//! Durations in manifests, in settings and on the command line, with the parser of [`loop_schedule::duration`].

pub use loop_schedule::duration::{DurationError, parse, parse_or_zero};
