//! Words and numbers for people.

use std::time::Duration;

use loop_core::{Progress, RunCost, Usd};

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

/// An amount of money, to the cent, or to two digits if it is less than ten cents.
pub(crate) fn dollars(usd: Usd) -> String {
    let micros = usd.as_micros();
    let digits = micros.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(1).min(4));
    let rounded = micros.saturating_add(unit / 2) / unit * unit;
    Usd::micros(rounded).to_string()
}

/// What is known of a run's cost, and why it is not known better.
pub(crate) fn cost(progress: &Progress) -> String {
    let cost = progress.cost();
    match cost {
        RunCost::Unknown => format!("{cost} (none was reported)"),
        RunCost::AtLeast(_) => {
            let silent = progress.unpriced_iterations();
            format!("{cost} ({silent} of {} reported none)", count(progress.iterations(), "iteration"))
        }
        RunCost::About(_) | RunCost::Exactly(_) => cost.to_string(),
    }
}

/// The last line of a text that says something, cut to `width` characters.
pub(crate) fn last_line(text: &str, width: usize) -> Option<String> {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let line = printable(line);
    match line.char_indices().nth(width) {
        Some((cut, _)) => Some(format!("{}…", &line[..cut])),
        None => Some(line),
    }
}

/// Text of an agent, made safe to print: without what could move the cursor or recolour the screen.
pub(crate) fn printable(text: &str) -> String {
    anstream::adapter::strip_str(text)
        .to_string()
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
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
    fn money_is_shown_as_exactly_as_it_matters() {
        let shown = |micros| dollars(Usd::micros(micros));
        assert_eq!(shown(836_215), "$0.84");
        assert_eq!(shown(12_345_678), "$12.35");
        assert_eq!(shown(99_999), "$0.10");
        assert_eq!(shown(12_345), "$0.012");
        assert_eq!(shown(123), "$0.00012");
        assert_eq!(shown(7), "$0.000007");
        assert_eq!(shown(0), "$0.00");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
    }

    #[test]
    fn what_an_agent_prints_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mred\u{1b}[0m\u{7}\r\u{9b}2J"), "ared2J");
        assert_eq!(last_line("one\n\u{1b}[2Jtwo \n\n", 80).as_deref(), Some("two"));
        assert_eq!(last_line("élan vital", 4).as_deref(), Some("élan…"));
        assert_eq!(last_line(" \n", 4), None);
    }
}
