//! Parts of a line that only a shell would understand. A program would get them as plain words and do something else than
//! was meant, without an error: `echo text > notes.md` writes no file.

use super::{MAX_COMMAND_BYTES, built_in};
use crate::policy::Ruling;

/// Returns the words of a line.
pub(super) fn split(line: &str) -> Result<Vec<String>, Ruling> {
    if line.contains(['\n', '\r', '\0']) {
        return Err(built_in("a command is one line; run commands one by one"));
    }
    if line.len() > MAX_COMMAND_BYTES {
        return Err(built_in(format!(
            "a command has at most {MAX_COMMAND_BYTES} bytes; put long texts into files"
        )));
    }
    shlex::split(line).ok_or_else(|| built_in("a quote in the command is never closed; close it"))
}

/// Refuses a line with unquoted operators, redirections, variables or inner commands.
pub(super) fn refuse(line: &str) -> Result<(), Ruling> {
    let Some(part) = first_part(line) else { return Ok(()) };
    let what = match part {
        _ if part.starts_with(['$', '`']) => "would stay as it is; write its value",
        _ if part.contains('>') => {
            "would be an ordinary word; both outputs are returned anyway, and a file is written with the tools for files"
        }
        _ if part.contains('<') => "would be an ordinary word; name the file as an argument",
        _ => "would be an ordinary word; run one program at a time",
    };
    let rule = format!("no shell is involved, so `{part}` {what}. A plain text belongs in single quotes");
    Err(Ruling::without_shell(rule))
}

/// Returns the first such part.
fn first_part(line: &str) -> Option<&str> {
    let (mut quote, mut is_escaped, mut word) = (None, false, 0);
    for (at, sign) in line.char_indices() {
        let rest = &line[at..];
        match (sign, quote) {
            _ if is_escaped => is_escaped = false,
            (sign, Some(open)) if sign == open => quote = None,
            (_, Some('\'')) => {}
            ('\\', _) => is_escaped = true,
            ('`', _) => return Some("`"),
            ('$', _) if rest[1..].starts_with(['{', '(']) => return Some(&rest[..2]),
            ('$', _) if rest[1..].starts_with(is_name) => {
                let end = rest[1..].find(|sign| !is_name(sign)).map_or(rest.len(), |end| end + 1);
                return Some(&rest[..end]);
            }
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(sign),
            ('#', None) if at == word => return None,
            (sign, None) if sign.is_whitespace() => word = at + sign.len_utf8(),
            (sign, None) if OPERATORS.contains(&sign) => {
                // The number of an output belongs to its redirection.
                let is_number =
                    !line[word..at].is_empty() && line[word..at].bytes().all(|it| it.is_ascii_digit());
                let begin = if is_number && matches!(sign, '<' | '>') { word } else { at };
                let end = rest.find(|sign| !OPERATORS.contains(&sign)).map_or(line.len(), |end| at + end);
                return Some(&line[begin..end]);
            }
            _ => {}
        }
    }
    None
}

const OPERATORS: [char; 5] = [';', '&', '|', '<', '>'];

fn is_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unquoted_syntax_of_a_shell_is_found() {
        for (line, part) in [
            ("echo hi > out.txt", ">"),
            ("echo hi>out.txt", ">"),
            ("cat a 2>/dev/null", "2>"),
            ("cat a 2>&1", "2>&"),
            ("cat a &> b", "&>"),
            ("wc < a", "<"),
            ("cat <<EOF", "<<"),
            ("a && b", "&&"),
            ("a;b", ";"),
            ("a ; b", ";"),
            ("a || true", "||"),
            ("a|b", "|"),
            ("sleep 1 &", "&"),
            ("echo $HOME/x", "$HOME"),
            ("echo \"$HOME x\"", "$HOME"),
            ("echo ${A}", "${"),
            ("echo \"$(date)\"", "$("),
            ("echo `date`", "`"),
            ("echo $1", "$1"),
        ] {
            assert_eq!(first_part(line), Some(part), "{line}");
        }
    }

    #[test]
    fn what_is_quoted_or_means_nothing_is_left() {
        for line in [
            "grep 'a | b; $HOME > `x`' notes",
            "grep \"a | b; & < >\" notes",
            r"find . \( -name a -o -name b \) -print",
            r"echo a\;b \$HOME \`x\` 1\>2",
            r#"echo "\$HOME""#,
            "grep a$ notes",
            "grep 'a'$ notes",
            "find . -name *.rs",
            "git show HEAD@{1} HEAD^{tree} HEAD~2",
            "echo a #; b > c",
            "echo 100% {a,b} ~ !x [y] ?",
        ] {
            assert_eq!(first_part(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_text_in_single_quotes_is_plain(text in "[a-z'$`;&|<>\"\\\\ #]{0,20}") {
            let line = format!("echo '{}'", text.replace('\'', r"'\''"));
            prop_assert_eq!(first_part(&line), None);
        }
    }
}
