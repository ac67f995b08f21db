//! Words and numbers for people.

use loop_telemetry::words;
pub(crate) use loop_telemetry::words::{ago, bytes, cost, count, dollars, duration, grouped, span, tokens};

use super::concealed::secrets;

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
    words::printable(text, &secrets())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_span_is_shown_as_it_was_written() {
        for (seconds, expected) in crate::session::cases::of("durationDisplay") {
            assert_eq!(span(Duration::from_secs(seconds.as_u64().unwrap())), expected);
        }
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
            proptest::prop_assert!(!line.contains(['\n', '\t']) && !line.contains(words::is_display_control), "{line:?}");
        }
    }
}
