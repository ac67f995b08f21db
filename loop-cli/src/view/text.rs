//! Words and numbers for people.

use std::time::Duration;

use loop_core::{Progress, RunCost, Usd};

use super::{concealed::secrets, harmless::plain};

/// A duration as a person would say it: `850ms`, `12.3s`, `4m 05s`, `2h 03m`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{}ms", duration.as_millis()),
        // Tenths, cut and not rounded: 59.96 s is not yet a minute.
        1..60 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A duration that somebody wrote, exactly: `30s`, `5m`, `1h 30m`, `1.5s`.
pub(crate) fn span(span: Duration) -> String {
    let (hours, minutes) = (span.as_secs() / 3600, span.as_secs() / 60 % 60);
    let rest = span.saturating_sub(Duration::from_secs(hours * 3600 + minutes * 60));
    let part = |count: u64, unit: &str| (count > 0).then(|| format!("{count}{unit}"));
    let seconds = (span.is_zero() || !rest.is_zero()).then(|| format!("{rest:?}"));
    let parts: Vec<_> = [part(hours, "h"), part(minutes, "m"), seconds].into_iter().flatten().collect();
    parts.join(" ")
}

/// `1 iteration`, `2 iterations`, `1,000,000 tokens`.
pub(crate) fn count(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// `1,000,000`
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// An amount of bytes: `850 B`, `12.3 KiB`, `1.0 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = (bytes.ilog2() / 10).min(UNITS.len() as u32);
    // Tenths, cut and not rounded: what is a little less than 1 MiB is not 1024.0 KiB.
    let tenths = (u128::from(bytes) * 10) >> (10 * power);
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[power as usize - 1])
}

/// How long ago something was, in its largest unit: `12s ago`, `3h ago`, `5d ago`.
pub(crate) fn ago(since: Duration) -> String {
    let seconds = since.as_secs();
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

/// An amount of money, to the cent, or to two digits if it is less than ten cents.
pub(crate) fn dollars(usd: Usd) -> String {
    let nanos = usd.as_nanos();
    let digits = nanos.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(1).min(7));
    let rounded = nanos.saturating_add(unit / 2) / unit * unit;
    Usd::nanos(rounded).to_string()
}

/// What is known of a run's cost, and why it is not known better.
pub(crate) fn cost(progress: &Progress) -> String {
    let cost = progress.cost();
    match cost {
        RunCost::Unknown => format!("{cost} (none was reported)"),
        RunCost::AtLeast(_) => {
            let partly = not_all(progress.unpriced_iterations(), progress.iterations());
            format!("{cost}{partly}")
        }
        RunCost::About(_) | RunCost::Exactly(_) => cost.to_string(),
    }
}

/// What is known of the tokens that a run used, if anything is.
pub(crate) fn tokens(progress: &Progress) -> Option<String> {
    let tokens = grouped(progress.usage().tokens()?);
    Some(match progress.uncounted_iterations() {
        0 => tokens,
        silent => format!("at least {tokens}{}", not_all(silent, progress.iterations())),
    })
}

/// How many iterations did not report all that they used. Their check may not have either.
fn not_all(silent: u64, iterations: u64) -> String {
    match silent {
        0 => String::new(),
        _ => format!(" ({} of {} did not report all of it)", grouped(silent), count(iterations, "iteration")),
    }
}

/// The last line of a text that says something, cut to `width` characters.
pub(crate) fn last_line(text: &str, width: usize) -> Option<String> {
    let line = text.lines().rev().map(one_line).find(|line| !line.trim().is_empty())?;
    let line = line.trim();
    match line.char_indices().nth(width) {
        Some((cut, _)) => Some(format!("{}…", &line[..cut])),
        None => Some(line.to_owned()),
    }
}

/// Text of an agent, made fit for one line of the screen. A tab, or a break within it, would be wider than it
/// is measured to be, and what is drawn over it later would stand in the wrong place.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Text of an agent, made safe to print: without what could move the cursor, recolour the screen, or make it
/// read otherwise than it is written, and without the secrets that such could stand in. Lines and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    secrets().redact(&plain(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::harmless::acts, *};

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
        for (seconds, expected) in crate::session::cases::of("durationDisplay") {
            assert_eq!(span(Duration::from_secs(seconds.as_u64().unwrap())), expected);
        }
        let shown =
            [0, 1, 1500, 90_000, 300_000, 5_400_000, 3_600_250].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(shown, ["0ns", "1ms", "1.5s", "1m 30s", "5m", "1h 30m", "1h 250ms"]);
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

    #[test]
    fn what_an_agent_prints_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mred\u{1b}[0m\u{7}\r\u{9b}2J"), "ared2J");
        assert_eq!(last_line("one\n\u{1b}[2Jtwo \n\n", 80).as_deref(), Some("two"));
        assert_eq!(last_line("élan vital", 4).as_deref(), Some("élan…"));
        assert_eq!(last_line(" \n", 4), None);
        assert_eq!(last_line("one\n\u{1b}[0m\u{7}\n", 4).as_deref(), Some("one"));
    }

    #[test]
    fn a_line_is_as_wide_as_it_is_measured_to_be_and_reads_in_the_order_in_which_it_is_written() {
        assert_eq!(last_line("a\tb\u{b}\u{202e}c\u{2066}d\u{2028}e", 80).as_deref(), Some("a bcde"));
        assert_eq!(printable("a\n\tb\u{202e}"), "a\n\tb");
    }

    proptest::proptest! {
        #[test]
        fn one_line_has_neither_controls_nor_turns(
            text in "[a-z\t\r\n\u{0}-\u{1f}\u{7f}-\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}é]*"
        ) {
            let line = one_line(&text);
            proptest::prop_assert!(!line.contains(['\n', '\t']) && !line.contains(acts), "{line:?}");
        }
    }
}
