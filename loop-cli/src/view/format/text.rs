//! Words and numbers for people, without the secrets known to this process.

use loop_telemetry::words;
pub(crate) use loop_telemetry::words::{
    BEFORE_FIRST, ago, bytes, cost, count, dollars, duration, grouped, tokens,
};

use crate::view::secrets;

/// Returns [`words::last_line`] without secrets.
pub(crate) fn last_line(text: &str, width: usize) -> Option<String> {
    words::last_line(text, width, &secrets())
}

/// Returns [`words::one_line`] without secrets.
pub(crate) fn one_line(text: &str) -> String {
    words::one_line(text, &secrets())
}

/// Returns [`words::printable`] without secrets.
pub(crate) fn printable(text: &str) -> String {
    words::printable(text, &secrets())
}
