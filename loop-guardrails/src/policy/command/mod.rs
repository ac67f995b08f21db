//! Which programs a shell command starts.
//!
//! The rights and the needs of a command depend on the program that it starts, and that is seldom its first word: `cd
//! app && timeout 600 claude -p` starts `claude`. A check of first words alone fails for all such commands.
//!
//! This parser gives advice and convenience; it is not a security boundary. It does not know the values of variables,
//! the effects of scripts or the arguments of `eval`, and it reads the lines of a here-document as commands. The
//! boundary is [`CommandPolicy`], which decides which commands may run at all.

mod lexer;
mod pipeline;
mod prefix;
mod proposal;
mod safe;
mod starting_options;
mod wrapper;

use std::path::Path;

pub use self::{
    pipeline::{PipedCommand, pipeline},
    prefix::{CommandPrefix, InvalidCommandPrefix},
    safe::{CommandLine, CommandPolicy, DEFAULT_PROGRAMS, GIT_VARIABLES, GitQuestion, MAX_COMMAND_BYTES},
};

/// One program of a shell command, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimpleCommand {
    /// The program's name, without the folders before it.
    pub program: String,
    /// Its arguments, without the quotes around them and without redirections.
    pub arguments: Vec<String>,
}

/// Returns the programs that `line` starts when `sh -c` runs it, as far as the text shows.
///
/// Every word in command position counts: after `&&`, `||`, `;`, `|`, in subshells, in `$(…)`, and in the script of an
/// inner `sh -c`. The parser skips assignments, shell keywords (`if`, `!`, `exec`, …) and programs that start another
/// program (`env`, `timeout 5`, `nice`, `npx`, …). If a quote or bracket is never closed, the result is empty.
///
/// ```
/// use loop_guardrails::policy::command::simple_commands;
///
/// let found = simple_commands("cd app && RUST_LOG=info timeout 600 /opt/bin/claude -p 2>&1 | tee log");
/// let programs: Vec<_> = found.iter().map(|command| command.program.as_str()).collect();
/// assert_eq!(programs, ["cd", "claude", "tee"]);
/// assert_eq!(found[1].arguments, ["-p"]);
/// ```
pub fn simple_commands(line: &str) -> Vec<SimpleCommand> {
    lexer::commands(line).unwrap_or_default().iter().flat_map(|words| started_by(words)).collect()
}

fn started_by(mut words: &[String]) -> Vec<SimpleCommand> {
    loop {
        let assignments = words.iter().take_while(|word| is_assignment(word)).count();
        let Some((first, arguments)) = words[assignments..].split_first() else { return Vec::new() };
        let program = name(first);
        if let Some(inner) = wrapper::inner(program, arguments) {
            words = inner;
        } else if let Some(script) = wrapper::script(program, arguments) {
            return simple_commands(script);
        } else {
            return vec![SimpleCommand { program: program.to_owned(), arguments: arguments.to_vec() }];
        }
    }
}

/// Returns the last component of a path.
fn name(word: &str) -> &str {
    Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or(word)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.starts_with(|sign: char| sign.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn programs(line: &str) -> Vec<String> {
        simple_commands(line).into_iter().map(|command| command.program).collect()
    }

    #[test]
    fn the_program_is_found_behind_what_stands_before_it() {
        for line in [
            "claude -p",
            "/usr/local/bin/claude -p",
            "A=1 B='x y' claude",
            "env -u X A=1 claude",
            "exec claude",
            "timeout -k 5 10m claude",
            "timeout --foreground 10m nice -n 5 claude",
            "! claude",
            "{ claude",
            "sh -c 'claude -p'",
            "bash -euo pipefail -c \"claude -p 'x'\"",
            "> log 2>&1 claude -p",
            "\"claude\" -p # codex",
            "\\claude",
            "npx -y claude",
        ] {
            assert_eq!(programs(line), ["claude"], "{line}");
        }
    }

    #[test]
    fn every_word_in_command_position_counts_and_no_other() {
        assert_eq!(programs("a|b&&c;d\ne&f||g"), ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(programs("(cd x; claude) && echo codex"), ["cd", "claude", "echo"]);
        assert_eq!(programs("if test -e x; then claude; else codex; fi"), ["test", "claude", "codex"]);
        assert_eq!(programs("echo \"$(claude -p) codex\" `gemini`"), ["claude", "gemini", "echo"]);
        assert_eq!(programs("cat <<EOF >out 2>&1 | claude -p"), ["cat", "claude"]);
        assert_eq!(programs("echo 'a; claude' \"b && claude\" \\; claude #; codex"), ["echo"]);
        assert_eq!(programs("A=1"), Vec::<String>::new());
        assert_eq!(programs("sh ./claude.sh"), ["sh"]);
    }

    #[test]
    fn arguments_are_given_as_the_program_gets_them() {
        let found = simple_commands("codex exec 'it'\\''s' \"a b\"c > out < in -");
        assert_eq!(found[0].arguments, ["exec", "it's", "a bc", "-"]);
    }

    #[test]
    fn a_line_that_never_ends_starts_nothing() {
        for line in ["claude \" x", "claude ' x", "echo $(claude", "echo `claude", "(claude"] {
            assert_eq!(programs(line), Vec::<String>::new(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_one_argument(text in "[a-z'\"\\\\$`(){};&|<># \n]{0,20}") {
            let quoted = format!("echo '{}'", text.replace('\'', "'\\''"));
            let found = simple_commands(&quoted);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].arguments, &[text]);
        }

        #[test]
        fn no_line_is_too_strange_and_nothing_is_made_up(
            line in "(claude|sh -c|env|timeout|[a-z'\"\\\\$`(){};&|<># \n=-]){0,30}",
        ) {
            let found = simple_commands(&line);
            let read = found.iter().flat_map(|it| it.arguments.iter().chain([&it.program]));
            prop_assert!(read.map(String::len).sum::<usize>() <= line.len());
        }
    }
}
