//! Recognises plans whose steps execute commands.

/// The kinds of validations that execute a command.
const COMMANDS: [&str; 2] = ["command", "custom"];

/// Returns whether a line of the text is a step that a command validates. This does not matter for other steps, which
/// only a model reads: a list with boxes is an ordinary text.
pub(super) fn has_commands(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| is_step(line) && annotations(line).any(is_command))
}

/// Returns whether the line begins like a step: with a box, or with a number.
fn is_step(line: &str) -> bool {
    let line = line.trim_start();
    let has_box = || line.strip_prefix(['-', '*', '+']).is_some_and(|rest| rest.starts_with(" ["));
    line.starts_with(|sign: char| sign.is_ascii_digit()) || has_box()
}

/// Returns the text after each opening bracket.
fn annotations(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('[').map(|(at, bracket)| &line[at + bracket.len()..])
}

fn is_command(annotation: &str) -> bool {
    let Some((key, value)) = annotation.split_once(':') else { return false };
    let kind = value.split_whitespace().next().unwrap_or_default();
    key.trim().eq_ignore_ascii_case("validate")
        && COMMANDS.iter().any(|known| kind.eq_ignore_ascii_case(known))
}
