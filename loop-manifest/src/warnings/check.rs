//! Warns about checks that always pass: the run would end at once, and claim that it met the goal.

use super::super::{diagnostics::Diagnostic, raw::RawManifest};

/// Programs that exit 0 whatever they read.
const HIDES: [&str; 9] = ["tee", "cat", "head", "tail", "sort", "tr", "cut", "uniq", "less"];

/// Words that can make an earlier command determine the exit code.
const DECIDES: [&str; 4] = ["exit", "set -e", "pipefail", "PIPESTATUS"];

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    always_passes(raw).into_iter().collect()
}

fn always_passes(raw: &RawManifest) -> Option<Diagnostic> {
    // Then a pass also needs a match in the output.
    if raw.stop_condition.has_pattern() {
        return None;
    }
    let check = raw.evaluator.command.written()?;
    let (before, operator, last) = last_command(&check.value)?;
    if DECIDES.iter().any(|word| before.contains(word)) {
        return None;
    }
    let mut words = last.split_whitespace();
    let program = words.next()?;
    let finding = || Diagnostic::warning("the check always passes");
    match operator {
        "||" if matches!(program, "true" | ":" | "echo") || last == "exit 0" => {
            let label = format!("with `|| {program}` it exits 0, whatever fails before");
            let finding = finding().at(check.span.clone(), label);
            Some(finding.help("remove that: a check has to fail while the goal is not met"))
        }
        "|" if HIDES.contains(&program) => {
            let label = format!("its exit code is that of `{program}`, which is 0 whatever fails before");
            let finding = finding().at(check.span.clone(), label);
            Some(finding.help(format!("remove `| {program}`: what the check prints is kept anyway")))
        }
        _ => None,
    }
}

/// Splits a shell line at the last operator outside quotes and brackets. Returns `None` if there is none, or if the
/// line is too complex.
fn last_command(line: &str) -> Option<(&str, &'static str, &str)> {
    if line.contains("<<") {
        return None;
    }
    let line = line.trim_end_matches(|sign: char| sign.is_whitespace() || sign == ';');
    let (mut quote, mut depth, mut found) = (None, 0_i32, None);
    let mut before = ' ';
    let mut signs = line.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        match (quote, sign) {
            (Some('\''), _) if sign != '\'' => {}
            (_, '\\') => _ = signs.next(),
            (Some(open), _) => quote = Some(open).filter(|open| *open != sign),
            (None, '\'' | '"' | '`') => quote = Some(sign),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            // `2>&1` and `>|` redirect.
            (None, '&' | '|') if depth == 0 && before != '>' => {
                let operator = match (sign, next) {
                    ('|', Some('|')) => "||",
                    ('|', _) => "|",
                    _ => "&",
                };
                let width = if next == Some(sign) || (sign, next) == ('|', Some('&')) { 2 } else { 1 };
                found = Some((at, operator, at + width));
                if width == 2 {
                    signs.next();
                }
            }
            (None, ';' | '\n') if depth == 0 => found = Some((at, ";", at + 1)),
            _ => {}
        }
        before = sign;
    }
    let (start, operator, end) = found?;
    Some((&line[..start], operator, line[end..].trim()))
}
