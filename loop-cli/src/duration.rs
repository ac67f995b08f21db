//! Durations on the command line: `90s`, `30m`, `1h30m`.

/// The units, from the longest to the shortest, with their seconds.
const UNITS: [(char, f64); 4] = [('d', 86_400.0), ('h', 3600.0), ('m', 60.0), ('s', 1.0)];

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DurationError {
    /// A bare number could be seconds for one person and minutes for the next.
    #[error("a unit is missing: write {0}s, {0}m or {0}h")]
    Unitless(String),
    /// Anything else.
    #[error("write it like 90s, 30m, 2h or 1h30m")]
    Unreadable,
}

/// The number of seconds that `text` says.
///
/// # Errors
/// A text that is not numbers with units, each unit once, the longer before the shorter.
pub(crate) fn seconds(text: &str) -> Result<f64, DurationError> {
    let mut rest = text.trim();
    if rest.parse::<u64>().is_ok() {
        return Err(DurationError::Unitless(rest.to_owned()));
    }
    // Units that were passed over cannot come any more.
    let mut units = UNITS.iter();
    let mut total = 0.0;
    loop {
        let end = rest.find(|sign: char| !(sign.is_ascii_digit() || sign == '.'));
        let (number, tail) = rest.split_at(end.ok_or(DurationError::Unreadable)?);
        let number: f64 = number.parse().map_err(|_| DurationError::Unreadable)?;
        let mut signs = tail.chars();
        let unit = signs.next().and_then(|sign| units.by_ref().find(|(name, _)| *name == sign));
        let (_, length) = unit.ok_or(DurationError::Unreadable)?;
        total += number * length;
        rest = signs.as_str();
        if rest.is_empty() {
            return Ok(total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_added_up() {
        for (text, expected) in [
            ("90s", 90.0),
            ("30m", 1800.0),
            ("2h", 7200.0),
            ("1h30m", 5400.0),
            ("1d1s", 86_401.0),
            ("1.5h", 5400.0),
            (" 0s ", 0.0),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_bare_number_asks_for_its_unit() {
        assert_eq!(seconds("90"), Err(DurationError::Unitless("90".to_owned())));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "s", "h1", "1x", "30m1h", "1h1h", "1h30", "-5s", "1 h", "1..5h", ".s", "1h 30m", "ten"]
        {
            assert_eq!(seconds(text), Err(DurationError::Unreadable), "{text}");
        }
    }
}
