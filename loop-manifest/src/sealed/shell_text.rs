//! The variables and the inner commands in the text of a shell, or of a makefile.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::{Captures, Regex};

/// A variable with more values than this has the first ones.
const MOST_VALUES: usize = 4;

/// Values can name other variables, to this depth.
const DEPTH: usize = 3;

static IN_SHELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?m)(?:^|[\s;&({])([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|)"'`]+)"#).ok()
});
static IN_MAKEFILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^ *(?:export +)?([A-Za-z_]\w*) *(?::{0,3}|\?|\+)=[ \t]*(\S[^\n#]*)").ok()
});
static USE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|\(([A-Za-z_]\w*)\)|([A-Za-z_]\w*))").ok()
});

/// Returns the text with the values of the variables that it sets itself. There are several texts if a variable has several
/// values. Values from inner commands are unknown, and their variables stay as they are.
pub(super) fn with_values(text: &str, is_makefile: bool) -> Vec<String> {
    let form = if is_makefile { &*IN_MAKEFILE } else { &*IN_SHELL };
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for found in form.iter().flat_map(|form| form.captures_iter(text)) {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { continue };
        let value = value.as_str().trim().trim_matches(['"', '\'']);
        let is_known = !value.contains("$(") || is_makefile;
        if is_known && !value.contains('`') {
            values.entry(name.as_str()).or_default().push(value);
        }
    }
    let texts = values.values().map(Vec::len).max().unwrap_or_default().clamp(1, MOST_VALUES);
    (0..texts).map(|nth| with_nth(text, &values, nth)).collect()
}

fn with_nth(text: &str, values: &BTreeMap<&str, Vec<&str>>, nth: usize) -> String {
    let value = |found: &Captures<'_>| {
        let name = [1, 3, 4].into_iter().find_map(|group| found.get(group));
        let value = name.and_then(|name| values.get(name.as_str()));
        let value = value.and_then(|values| values.get(nth).or(values.last()).copied());
        value.or(found.get(2).map(|default| default.as_str())).unwrap_or(&found[0]).to_owned()
    };
    let mut text = text.to_owned();
    for _ in 0..DEPTH {
        text = USE.as_ref().map_or_else(|| text.clone(), |form| form.replace_all(&text, value).into_owned());
    }
    text
}

/// Takes the commands whose output a line uses out of it: `$(…)`, backticks, and `<(…)`. Returns the rest and the commands.
pub(super) fn printed(line: &str) -> (String, Vec<String>) {
    let (mut rest, mut commands) = (String::new(), Vec::new());
    let (mut at, mut is_literal, mut is_quoted) = (0, false, false);
    while let Some(sign) = line[at..].chars().next() {
        let after = &line[at..];
        let is_arithmetic = after.starts_with("$((");
        let inner = if is_literal || is_arithmetic {
            None
        } else if after.starts_with("$(") || after.starts_with("<(") {
            closed(after, 2).map(|end| (2, end))
        } else if sign == '`' {
            after[1..].find('`').map(|end| (1, end + 1))
        } else {
            None
        };
        if let Some((start, end)) = inner {
            commands.push(after[start..end].to_owned());
            rest.push_str("$_");
            at += end + 1;
            continue;
        }
        match sign {
            '\'' if !is_quoted => is_literal = !is_literal,
            '"' if !is_literal => is_quoted = !is_quoted,
            _ => {}
        }
        rest.push(sign);
        at += sign.len_utf8();
        if sign == '\\'
            && !is_literal
            && let Some(escaped) = line[at..].chars().next()
        {
            rest.push(escaped);
            at += escaped.len_utf8();
        }
    }
    (rest, commands)
}

/// Returns the place of the bracket that closes one before `from`.
fn closed(text: &str, from: usize) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (1_usize, None, false);
    for (at, sign) in text.char_indices().filter(|(at, _)| *at >= from) {
        match (quote, sign) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), _) if open == sign => quote = None,
            (None, '\'' | '"') => quote = Some(sign),
            (None, '(') => depth += 1,
            (None, ')') if depth == 1 => return Some(at),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_the_values_that_the_text_gives_them() {
        for (text, is_makefile, expected) in [
            ("D=qa; sh $D/a.sh", false, "D=qa; sh qa/a.sh"),
            ("D=\"q a\"\nE=$D/b\nsh ${E}/a.sh", false, "D=\"q a\"\nE=q a/b\nsh q a/b/a.sh"),
            ("sh ${D:-qa}/a.sh $F", false, "sh qa/a.sh $F"),
            ("here=$(pwd)\nsh $here/a.sh", false, "here=$(pwd)\nsh $here/a.sh"),
            (
                "D := qa\nA = $(D)/a.sh $(D)/b.sh\nx:\n\tsh $(A)",
                true,
                "D := qa\nA = qa/a.sh qa/b.sh\nx:\n\tsh qa/a.sh qa/b.sh",
            ),
            ("test \"$x\" = 4", false, "test \"$x\" = 4"),
        ] {
            assert_eq!(with_values(text, is_makefile), [expected], "{text}");
        }
        assert_eq!(with_values("D=a; D=b; sh $D", false), ["D=a; D=b; sh a", "D=a; D=b; sh b"]);
    }

    #[test]
    fn commands_that_print_are_taken_out() {
        for (line, rest, commands) in [
            ("test \"$(python3 solve.py)\" = 42", "test \"$_\" = 42", vec!["python3 solve.py"]),
            ("diff <(sh a.sh) b", "diff $_ b", vec!["sh a.sh"]),
            ("x `sh a.sh` $((1 + 2))", "x $_ $((1 + 2))", vec!["sh a.sh"]),
            ("a $(b $(c) ')' \")\") d", "a $_ d", vec!["b $(c) ')' \")\""]),
            ("a '$(b)' \\$(c", "a '$(b)' \\$(c", vec![]),
        ] {
            assert_eq!(
                printed(line),
                (rest.to_owned(), commands.into_iter().map(str::to_owned).collect()),
                "{line}"
            );
        }
    }
}
