//! The changes in a text.

/// The lines of two texts from their first difference to their last.
///
/// ```
/// use loop_telemetry::words::Differences;
///
/// let differences = Differences::between("a\nb\nc\n", "a\nx\ny\nc\n");
/// assert_eq!(differences.head, 1);
/// assert_eq!((differences.then, differences.now), (vec!["b"], vec!["x", "y"]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Differences<'a> {
    /// The number of equal lines before them.
    pub head: usize,
    /// The lines that the first text has in their place.
    pub then: Vec<&'a str>,
    /// The lines that the second text has in their place.
    pub now: Vec<&'a str>,
}

impl<'a> Differences<'a> {
    /// Compares two texts.
    pub fn between(then: &'a str, now: &'a str) -> Self {
        let (then, now): (Vec<_>, Vec<_>) = (then.lines().collect(), now.lines().collect());
        let same = |(then, now): &(&&str, &&str)| then == now;
        let head = then.iter().zip(&now).take_while(same).count();
        let (then, now) = (&then[head..], &now[head..]);
        let tail = then.iter().rev().zip(now.iter().rev()).take_while(same).count();
        let without_tail = |lines: &[&'a str]| lines[..lines.len() - tail].to_vec();
        Self { head, then: without_tail(then), now: without_tail(now) }
    }
}

/// Returns the lines in which `now` differs from `then`, from the first difference to the last; `None` if there are
/// none. A `hidden` marker replaces secrets in both. If only `then` has one, its secret is no longer known. Then nobody
/// can tell whether the text in its place is that secret or a change, so the lines differ, and the text is not shown.
pub fn changed_lines(then: &str, now: &str, hidden: &str) -> Option<String> {
    let Differences { head, then, now } = Differences::between(then, now);
    if then.is_empty() && now.is_empty() {
        return None;
    }
    let mut lines = vec![format!("  from line {}", head + 1)];
    lines.extend(then.iter().map(|line| format!("  - {line}")));
    lines.extend(now.iter().map(|line| match then.iter().find(|then| hides(then, line, hidden)) {
        Some(then) => format!("  + {then} (with a text that is not known as the secret)"),
        None => format!("  + {line}"),
    }));
    Some(lines.join("\n"))
}

/// Returns whether `now` may have a secret in the place of a marker in `then`.
fn hides(then: &str, now: &str, hidden: &str) -> bool {
    let count = |line: &str| line.matches(hidden).count();
    if count(now) >= count(then) {
        return false;
    }
    let Some((before, after)) = then.split_once(hidden) else { return false };
    let after = after.rsplit_once(hidden).map_or(after, |(_, end)| end);
    now.len() >= before.len() + after.len() && now.starts_with(before) && now.ends_with(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown_with_its_line() {
        let changes = changed_lines("a\nb\nc\nd\n", "a\nx\ny\nc\nd\n", "[hidden]");
        assert_eq!(changes.as_deref(), Some("  from line 2\n  - b\n  + x\n  + y"));
        let added = changed_lines("a\n", "a\nb\n", "[hidden]");
        assert_eq!(added.as_deref(), Some("  from line 2\n  + b"));
        let removed = changed_lines("a\na\n", "a\n", "[hidden]");
        assert_eq!(removed.as_deref(), Some("  from line 2\n  - a"));
    }

    #[test]
    fn what_is_the_same_but_for_its_secrets_is_the_same() {
        assert_eq!(changed_lines("a\nb\n", "a\nb\n", "[hidden]"), None);
        assert_eq!(changed_lines("key: [hidden]!\n", "key: [hidden]!\n", "[hidden]"), None);
    }

    #[test]
    fn a_text_in_the_place_of_a_secret_is_a_change_and_is_not_shown() {
        let changes = changed_lines("{key: [hidden]}\n", "{key: a secret, x: y}\n", "[hidden]");
        let shown = "  from line 1\n  - {key: [hidden]}\n  + {key: [hidden]} (with a text that is not known as the secret)";
        assert_eq!(changes.as_deref(), Some(shown));
    }
}
