//! Compares our understanding of shell quotes with the shells of this machine.
#![cfg(feature = "shell")]

use std::{
    path::Path,
    process::{Command, Stdio},
};

use loop_agents::shell::CommandLine;
use proptest::prelude::*;

/// A text that does harm in many ways if a shell treats any of it as code.
const PROMPT: &str = "it's \"q\" $(touch PWNED) `touch PWNED` ${x:-$(touch PWNED)}\n\
    touch PWNED\nEOF\ntouch PWNED\n) ) ; touch PWNED\n' \" ; touch PWNED # \\ é --flag";

fn shells() -> impl Iterator<Item = &'static str> {
    ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/ksh", "/bin/mksh"]
        .into_iter()
        .filter(|shell| Path::new(shell).exists())
}

/// Runs a line in an empty folder, and returns its output.
fn run(shell: &str, line: &str, dir: &Path) -> Vec<u8> {
    let mut command = Command::new(shell);
    command.args(["-c", "--", line]).current_dir(dir).stdin(Stdio::null()).stderr(Stdio::null());
    command.output().expect("the shell runs").stdout
}

/// Generates lines with all characters that affect the meaning of a quote.
fn any_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "'",
        "\"",
        "`",
        "$(",
        ")",
        "(",
        "$((",
        "))",
        "${x:-",
        "${x#",
        "}",
        "\\",
        "#",
        " # ",
        "\n",
        "<<EOF\n",
        "<<EOF",
        "<<<",
        "EOF\n",
        "$'",
        "$",
        ";",
        " echo ",
        " : ",
        "x",
        " ",
        "=",
        "case a in a) ",
        ";; esac",
        "\\'",
        "\\\"",
        "{",
        "|",
        "&&",
        "((",
        "[",
        "]",
        "${x[",
        "${ ",
        "\\\n",
        "*",
    ]);
    let pieces = prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat());
    (pieces.clone(), pieces).prop_map(|(before, after)| format!("{before}{{prompt}}{after}"))
}

proptest! {
    #[test]
    fn no_line_that_is_accepted_runs_any_part_of_the_prompt(line in any_line()) {
        let Ok(command) = CommandLine::parse(&line) else { return Ok(()) };
        let call = command.with_prompt(PROMPT).unwrap();
        for shell in shells() {
            let dir = tempfile::tempdir().unwrap();
            run(shell, &call.line, dir.path());
            prop_assert!(!dir.path().join("PWNED").exists(), "{} runs {}", shell, line);
        }
    }
}

#[test]
fn where_it_is_accepted_the_prompt_arrives_byte_for_byte() {
    for line in [
        "printf %s {prompt}",
        "printf '%s' \"\"{prompt}''",
        "(cd / && printf %s {prompt})",
        "# it's a comment\nprintf %s {prompt} # and another",
        "x=$(printf %sx {prompt}); printf %s \"${x%x}\"",
        "echo \"$(echo '\"')\" >/dev/null; printf %s {prompt}",
        "printf %s {prompt} | cat",
    ] {
        let call = CommandLine::parse(line).unwrap().with_prompt(PROMPT).unwrap();
        for shell in shells() {
            let dir = tempfile::tempdir().unwrap();
            assert_eq!(
                String::from_utf8_lossy(&run(shell, &call.line, dir.path())),
                PROMPT,
                "{shell}: {line}"
            );
            assert!(!dir.path().join("PWNED").exists());
        }
    }
}
