//! Words and numbers for people.
//!
//! A run appears in many places: after it ends, in lists, in a report, in warnings. People compare these, so each kind
//! of number is formatted the same everywhere. These functions are pure.
//!
//! With the feature `text` there are also styles and tables for a terminal, and `printable` makes a foreign text safe
//! to show. With the feature `markdown`, a terminal shows Markdown while it arrives.

mod changed_lines;
mod clock;
#[cfg(feature = "markdown")]
pub mod markdown;
#[cfg(feature = "text")]
mod printable;
#[cfg(feature = "text")]
pub mod style;
#[cfg(feature = "text")]
mod styled;
#[cfg(feature = "text")]
pub mod table;
mod utf8_decoder;

use std::time::Duration;

use loop_core::{Ending, EvaluatorPassed, Progress, RunCost, Usage, Usd};

pub use self::{
    changed_lines::{Differences, changed_lines},
    clock::{instant, rfc3339, until},
    utf8_decoder::Utf8Decoder,
};
#[cfg(feature = "text")]
pub use self::{
    printable::{cut, is_display_control, last_line, one_line, plain, plain_line, printable, width},
    styled::{escaped_json, harmless},
};

/// The name of the check before the first iteration, among the iterations.
pub const BEFORE_FIRST: &str = "before iteration 1";

/// Formats a measured duration, as a person would say it: `850ms`, `12.3s`, `4m 05s`, `2h 03m`.
///
/// ```
/// use std::time::Duration;
/// use loop_telemetry::words::duration;
///
/// assert_eq!(duration(Duration::from_millis(12_340)), "12.3s");
/// ```
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{}ms", duration.as_millis()),
        // Tenths are truncated and not rounded, because 59.96 s is not yet a minute.
        1..60 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats a configured duration exactly: `30s`, `5m`, `1h 30m`, `1.5s`. It uses days from two days up: `24h`, `5d`.
pub fn span(span: Duration) -> String {
    let (all_hours, minutes) = (span.as_secs() / 3600, span.as_secs() / 60 % 60);
    let rest = span.saturating_sub(Duration::from_secs(all_hours * 3600 + minutes * 60));
    let (days, hours) = if all_hours < 48 { (0, all_hours) } else { (all_hours / 24, all_hours % 24) };
    let part = |count: u64, unit: &str| (count > 0).then(|| format!("{count}{unit}"));
    let seconds = (span.is_zero() || !rest.is_zero()).then(|| format!("{rest:?}"));
    let parts: Vec<_> =
        [part(days, "d"), part(hours, "h"), part(minutes, "m"), seconds].into_iter().flatten().collect();
    parts.join(" ")
}

/// Formats a number of things, whose plural ends in `s`: `1 iteration`, `2 iterations`, `1,000,000 tokens`.
///
/// ```
/// use loop_telemetry::words::count;
///
/// assert_eq!(count(1, "iteration"), "1 iteration");
/// assert_eq!(count(1_000_000, "token"), "1,000,000 tokens");
/// ```
pub fn count(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Formats a number with a comma before every three digits: `1,000,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Formats a number of bytes: `850 B`, `12.3 KiB`, `1.0 GiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = (bytes.ilog2() / 10).min(UNITS.len() as u32);
    // Tenths are truncated and not rounded, so that a size just below 1 MiB does not become 1024.0 KiB.
    let tenths = (u128::from(bytes) * 10) >> (10 * power);
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[power as usize - 1])
}

/// Formats how long ago something was, in its largest unit: `12s ago`, `3h ago`, `5d ago`.
pub fn ago(since: Duration) -> String {
    let seconds = since.as_secs();
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

/// Formats an amount of money to the cent, or to two digits if it is less than ten cents.
pub fn dollars(usd: Usd) -> String {
    let nanos = usd.as_nanos();
    let digits = nanos.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(1).min(7));
    let rounded = nanos.saturating_add(unit / 2) / unit * unit;
    Usd::nanos(rounded).to_string()
}

/// Describes what a run cost, and why its cost is not known exactly.
pub fn cost(progress: &Progress) -> String {
    let cost = progress.cost();
    match cost {
        RunCost::Unknown
            if progress.ending().is_some_and(Ending::is_success) && progress.iterations() == 0 =>
        {
            "nothing, as no agent ran".to_owned()
        }
        RunCost::Unknown => format!("{cost} (none was reported)"),
        RunCost::AtLeast(_) => {
            let partly = not_all(progress.unpriced_iterations(), progress.iterations());
            format!("{cost}{partly}")
        }
        RunCost::About(_) | RunCost::Exactly(_) => cost.to_string(),
    }
}

/// Formats a number of tokens of this usage: `1 234`, or `at least 1 234` if a part of its tokens is unknown.
pub fn token_count(tokens: u64, usage: &Usage) -> String {
    let at_least = if usage.are_tokens_partial { "at least " } else { "" };
    format!("{at_least}{}", grouped(tokens))
}

/// Describes how many tokens a run used. Returns `None` if nothing reported any.
pub fn tokens(progress: &Progress) -> Option<String> {
    let tokens = progress.usage().tokens()?;
    Some(match progress.uncounted_iterations() {
        0 => token_count(tokens, progress.usage()),
        silent => format!("at least {}{}", grouped(tokens), not_all(silent, progress.iterations())),
    })
}

/// Describes how many iterations did not report all of their usage. Their checks may not have reported it either.
fn not_all(silent: u64, iterations: u64) -> String {
    match silent {
        0 => String::new(),
        _ => format!(" ({} of {} did not report all of it)", grouped(silent), count(iterations, "iteration")),
    }
}

/// Describes how long a run took, and how much of that time was work.
pub fn run_time(progress: &Progress) -> String {
    let elapsed = duration(progress.elapsed());
    let waited = progress.elapsed().saturating_sub(progress.working());
    // The loop's own time between two steps does not count as waiting.
    if waited < Duration::from_secs(1) {
        return elapsed;
    }
    format!("{elapsed}, of which {} working", duration(progress.working()))
}

/// Explains why a run ended, with a label: `why` before what happened, `met by` before the condition that decided that
/// the goal is met.
///
/// Returns `None` if there is nothing to explain, which includes the usual condition: the check passed.
pub fn ending_reason(ending: &Ending) -> Option<(&'static str, &str)> {
    let message = ending.message();
    match ending.reason() {
        _ if message.is_empty() => None,
        None if message == EvaluatorPassed::NAME => None,
        None => Some(("met by", message)),
        _ => Some(("why", message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let shown = |ms| duration(Duration::from_millis(ms));
        assert_eq!(shown(0), "0ms");
        assert_eq!(shown(12_340), "12.3s");
        assert_eq!(shown(59_999), "59.9s");
        assert_eq!(shown(245_000), "4m 05s");
        assert_eq!(shown(7_384_000), "2h 03m");
    }

    #[test]
    fn a_span_is_shown_as_it_was_written() {
        let shown =
            [0, 1, 1500, 90_000, 300_000, 5_400_000, 3_600_250].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(shown, ["0ns", "1ms", "1.5s", "1m 30s", "5m", "1h 30m", "1h 250ms"]);
        let shown = [24, 47, 48, 120, 125].map(|hours| span(Duration::from_hours(hours)));
        assert_eq!(shown, ["24h", "47h", "2d", "5d", "5d 5h"]);
    }

    #[test]
    fn money_is_shown_as_exactly_as_it_matters() {
        let shown = |micros| dollars(Usd::micros(micros));
        assert_eq!(shown(836_215), "$0.84");
        assert_eq!(shown(12_345_678), "$12.35");
        assert_eq!(shown(99_999), "$0.10");
        assert_eq!(shown(12_345), "$0.012");
        assert_eq!(shown(123), "$0.00012");
        assert_eq!(shown(7), "$0.000007");
        assert_eq!(shown(0), "$0.00");
        assert_eq!(dollars(Usd::nanos(456)), "$0.00000046");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
    }

    #[test]
    fn sizes_and_ages_read_well() {
        let shown = [0, 1023, 1024, 12_595, (1 << 20) - 1, 5 << 30, u64::MAX].map(bytes);
        assert_eq!(
            shown,
            ["0 B", "1023 B", "1.0 KiB", "12.2 KiB", "1023.9 KiB", "5.0 GiB", "16777215.9 TiB"]
        );
        let shown = [59, 60, 7_199, 86_399, 86_400, 864_000].map(|seconds| ago(Duration::from_secs(seconds)));
        assert_eq!(shown, ["59s ago", "1m ago", "1h ago", "23h ago", "1d ago", "10d ago"]);
    }
}
