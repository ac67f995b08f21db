//! Programs and scripts that a command needs and that do not exist.

use std::{ffi::OsStr, path::Path};

use crate::{init::is_on_path, unfilled::UNFILLED};

/// A program or script that does not exist, as the command names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingProgram<'a> {
    /// No folder of `PATH` contains a program of this name.
    NotOnPath(&'a str),
    /// There is no file at this path.
    NoFile(&'a str),
}

/// Words that can begin a shell line without being programs.
const SHELL_WORDS: [&str; 37] = [
    ".", "alias", "builtin", "case", "cd", "command", "declare", "echo", "eval", "exec", "exit", "export",
    "false", "for", "function", "hash", "if", "let", "local", "printf", "pwd", "read", "readonly", "set",
    "shift", "shopt", "source", "test", "time", "trap", "true", "type", "ulimit", "umask", "unset", "until",
    "while",
];

/// Programs whose first argument is the script that they run.
const INTERPRETERS: [&str; 9] = ["bash", "dash", "node", "perl", "python", "python3", "ruby", "sh", "zsh"];

/// Operators after which a line may still succeed, although its first command fails.
const CONTINUATIONS: [&str; 4] = ["||", ";", "&", "\n"];

/// Returns what the first command of a shell line needs and lacks, as far as the text shows. The line runs in `folder`
/// with this `PATH`; without one, the shell uses its own default, which we do not know.
///
/// ```
/// use loop_manifest::{MissingProgram, missing_program};
///
/// let folder = tempfile::tempdir()?;
/// let find = |line| missing_program(line, Some("/bin:/usr/bin".as_ref()), folder.path());
/// assert_eq!(find("no-such-agent -p"), Some(MissingProgram::NotOnPath("no-such-agent")));
/// assert_eq!(find("sh ./agent.sh"), Some(MissingProgram::NoFile("./agent.sh")));
/// assert_eq!(find("no-such-agent || ls"), None, "the line goes on");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn missing_program<'a>(line: &'a str, path: Option<&OsStr>, folder: &Path) -> Option<MissingProgram<'a>> {
    let line = line.trim();
    if CONTINUATIONS.iter().any(|sign| line.replace("&&", " ").contains(sign)) {
        return None;
    }
    let mut words = line.split_whitespace();
    let (program, next) = (words.next().filter(|word| is_plain(word))?, words.next());
    // A word followed by a bracket is a function.
    let is_defined = next.is_some_and(|next| next.starts_with('('));
    if is_defined || program == UNFILLED || SHELL_WORDS.contains(&program) {
        return None;
    }
    if program.contains('/') {
        return (!folder.join(program).exists()).then_some(MissingProgram::NoFile(program));
    }
    if path.is_some_and(|path| !is_on_path(program, path, folder)) {
        return Some(MissingProgram::NotOnPath(program));
    }
    let script = next.filter(|word| INTERPRETERS.contains(&program) && is_script(word))?;
    (!folder.join(script).exists()).then_some(MissingProgram::NoFile(script))
}

/// Returns whether a word is a name or a path that the shell does not change.
fn is_plain(word: &str) -> bool {
    word.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.+/".contains(sign))
}

/// Returns whether an interpreter's argument is certainly a file: a path, or a name with an ending.
fn is_script(word: &str) -> bool {
    is_plain(word) && !word.starts_with('-') && word.contains(['/', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_certainly_missing_programs_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("there.sh"), "").unwrap();
        let find = |line| missing_program(line, Some("/bin:/usr/bin".as_ref()), folder.path());
        for (line, missing) in [
            (" nothing-here -p | tee log", MissingProgram::NotOnPath("nothing-here")),
            ("nothing-here && ls", MissingProgram::NotOnPath("nothing-here")),
            ("./x", MissingProgram::NoFile("./x")),
            ("/no/such/x -p", MissingProgram::NoFile("/no/such/x")),
            ("sh missing.sh", MissingProgram::NoFile("missing.sh")),
        ] {
            assert_eq!(find(line), Some(missing), "{line}");
        }
        for line in [
            "./there.sh",
            "sh there.sh",
            "sh -c 'x'",
            "cd x && nothing-here",
            "A=1 nothing-here",
            "$X",
            "\"my agent\"",
            "f () { x }",
            "f() { x }",
            "if x",
            "",
            "nothing-here || ls",
            "nothing-here; ls",
            "nothing-here & ls",
            "REPLACE_ME x",
        ] {
            assert_eq!(find(line), None, "{line}");
        }
        assert_eq!(missing_program("nothing-here", None, folder.path()), None);
    }
}
