//! Words and numbers for people, without the secrets known to this process.

use loop_core::Verdict;
pub(crate) use loop_telemetry::words::{
    BEFORE_FIRST, ago, bytes, cost, count, dollars, duration, grouped, tokens,
};
use loop_telemetry::{check_summary, words};

use crate::view::secrets;

/// Returns [`check_summary::check_line`] without secrets.
pub(crate) fn check_line(verdict: &Verdict, width: usize) -> Option<String> {
    check_summary::check_line(verdict, width, &secrets())
}

/// Returns [`words::last_line`] without secrets.
pub(crate) fn last_line(text: &str, width: usize) -> Option<String> {
    words::last_line(text, width, &secrets())
}

/// Returns [`words::one_line`] without secrets.
pub(crate) fn one_line(text: &str) -> String {
    words::one_line(text, &secrets())
}

/// Returns a row of a summary, without secrets. Further lines of the value are aligned with the first.
pub(crate) fn row(label: &str, value: &str) -> String {
    format!("  {label:<11}{}", printable(value).replace('\n', "\n             "))
}

/// Returns [`words::printable`] without secrets.
pub(crate) fn printable(text: &str) -> String {
    words::printable(text, &secrets())
}
