//! The names of the days and the months, in lower case.

/// The days of the week, Sunday first as in cron.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns the first three letters of a name.
pub(crate) fn short(name: &str) -> &str {
    &name[..3]
}

/// Returns a name as it is written in a sentence.
pub(crate) fn with_capital(name: &str) -> String {
    name[..1].to_ascii_uppercase() + &name[1..]
}
