//! Labels before a schedule, as people write them in settings and command lines: `cron=0 9 * * *`, `--every 5m`.

/// Names for a schedule, which say nothing about it.
pub(super) const NAMES: &[&str] = &["cron", "crontab", "schedule", "interval", "period", "repeat", "when"];

/// Names that are words of the schedule itself.
const WORDS: &[&str] = &["every", "each", "at", "in", "on"];

/// Splits a name from the text behind it. `None` if no sign makes it a label: `schedule a meeting`.
fn split(text: &str) -> Option<(&str, &str)> {
    let bare = text.trim_start_matches('-');
    let (name, rest) = bare.split_at(bare.find(|sign: char| !sign.is_alphabetic()).unwrap_or(bare.len()));
    let value = rest.trim_start_matches(|sign: char| sign.is_whitespace() || matches!(sign, '=' | ':' | '('));
    let has_sign = rest[..rest.len() - value.len()].contains(['=', ':', '(']);
    let is_cron = name.to_ascii_lowercase().starts_with("cron");
    (text.starts_with("--") || has_sign || is_cron).then_some((name, value))
}

fn is_in(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns a text without the label that it begins with. `None` if it begins with none.
pub(super) fn behind(text: &str) -> Option<String> {
    let (name, value) = split(text)?;
    match () {
        () if is_in(NAMES, name) => Some(value.to_owned()),
        () if is_in(WORDS, name) => Some(format!("{name} {value}")),
        () => None,
    }
}

/// Removes a label from the end of a prompt: `check it cron=`.
pub(super) fn before(prompt: &str) -> &str {
    let start = prompt.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let is_label = split(&prompt[start..])
        .is_some_and(|(name, value)| value.trim_matches(['"', '\'']).is_empty() && is_in(NAMES, name));
    if is_label { prompt[..start].trim_end() } else { prompt }
}
