//! Recognises the lines that need no shell: a program and its arguments, which every shell reads in the same way.
//!
//! Starting a shell only to start one program doubles the processes of an iteration. `make` avoids it in the same way.
//! A line with anything that a shell could interpret goes to the shell.

/// The reserved words and builtin commands of `sh`, `dash` and `bash`, which a program on `PATH` cannot replace,
/// sorted. `true` and `false` are missing, because the programs do the same.
const SHELL_WORDS: [&str; 76] = [
    ".",
    ":",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "chdir",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
];

/// Returns whether a shell itself carries out this word, so that it needs no program on `PATH`.
///
/// ```
/// use loop_agents::process::is_shell_word;
///
/// assert!(is_shell_word("cd") && is_shell_word("while") && is_shell_word("["));
/// assert!(!is_shell_word("cargo"));
/// ```
pub fn is_shell_word(word: &str) -> bool {
    SHELL_WORDS.binary_search(&word).is_ok() || matches!(word, "[" | "true" | "false")
}

/// Returns the words of a line that is only a program and its arguments. Returns `None` if a shell has to read it.
pub(super) fn simple_words(line: &str) -> Option<Vec<String>> {
    // No process can get a NUL as part of an argument.
    if line.contains('\0') {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        char => word.push(char),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '$' | '`' | '\\' => return None,
                        char => word.push(char),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().filter(char::is_ascii_graphic)?),
            // The first word could be an assignment.
            '=' if words.is_empty() => return None,
            char if is_plain(char) => word.get_or_insert_default().push(char),
            _ => return None,
        }
    }
    words.extend(word);
    let program = words.first()?;
    let is_program = !program.is_empty() && SHELL_WORDS.binary_search(&program.as_str()).is_err();
    is_program.then_some(words)
}

/// Returns whether no shell gives this character a meaning outside quotes.
const fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '%' | '+' | ',' | '-' | '.' | '/' | ':' | '=' | '@' | '_')
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// The words as the system's shell reads them.
    fn of_shell(line: &str) -> Option<Vec<String>> {
        let script = format!("set -f\nset -- {line}\nfor word; do printf '%s\\0' \"$word\"; done");
        let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        output.status.success().then(|| text.split_terminator('\0').map(str::to_owned).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_shell_reads_the_same_words(arguments in r#"([a-c=.%^ '"\\$#é\t]|\\.|'[^']{0,4}'){0,12}"#) {
            let line = format!("program {arguments}");
            if let Some(words) = simple_words(&line) {
                prop_assert_eq!(Some(words), of_shell(&line));
            }
        }
    }

    #[test]
    fn what_a_shell_would_interpret_goes_to_a_shell() {
        for line in [
            "", " ", "a | b", "a && b", "a; b", "a &", "a > b", "a < b", "$A", "a $(b)", "a `b`", "a *",
            "a ?", "a [b]", "a ~", "a {b,c}", "A=b c", "a\nb", "a # b", "! a", "(a)", "a \"$b\"", "a \\",
            "a 'b", "'' a", "a é", "a '\0'", "a \"\0\"",
        ] {
            assert_eq!(simple_words(line), None, "{line}");
        }
        for line in ["cd x", "echo a", "exit 3", "test -f a", ". ./env", "wait", "while", "'if' x"] {
            assert_eq!(simple_words(line), None, "{line}");
        }
    }

    #[test]
    fn a_program_with_plain_or_quoted_arguments_needs_no_shell() {
        let words = |line| simple_words(line).unwrap_or_default();
        assert_eq!(words("cargo test --all -j=2"), ["cargo", "test", "--all", "-j=2"]);
        assert_eq!(words(r#" agent -p 'it'\''s $x' "a b" '' "#), ["agent", "-p", "it's $x", "a b", ""]);
        assert_eq!(words("./check.sh"), ["./check.sh"]);
    }

    #[test]
    fn the_words_of_shells_are_sorted() {
        assert!(SHELL_WORDS.is_sorted());
    }
}
