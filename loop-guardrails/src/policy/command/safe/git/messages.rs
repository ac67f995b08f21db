//! Filters the messages that git writes to standard error.
//!
//! Many messages quote a line of a file that git could not parse: of a link in place of `packed-refs`, of a submodule's
//! files, of files that a future version reads. The filter passes only messages that quote nothing but the command or a
//! ref.

/// The beginnings of messages that quote no file.
const SHOWN: &[&str] = &[
    "fatal: bad revision '",
    "fatal: ambiguous argument '",
    "fatal: invalid object name '",
    "fatal: path '",
    "fatal: no such path '",
    "fatal: no path specified",
    "fatal: your current branch '",
    "fatal: invalid upstream '",
    "fatal: no upstream configured",
    "fatal: not a git repository",
    "fatal: detected dubious ownership",
    "fatal: unable to read ",
    "fatal: file ",
    "fatal: log for '",
    "fatal: unrecognized argument: ",
    "fatal: option '",
    "fatal: cannot stat path '",
    "error: unknown ",
    "error: invalid option",
    "error: option `",
    "To add an exception for this directory, call:",
    "\tgit config --global --add safe.directory",
    "Use '--' to separate paths from revisions",
    "'git <command> [<revision>...] -- [<file>...]'",
    "warning: inexact rename detection was skipped",
    "warning: exhaustive rename detection was skipped",
    "warning: you may want to set your diff.renameLimit",
    "warning: in the working copy of '",
    "warning: log for '",
];

/// Returns the lines that quote no file, and a note about the others.
pub(super) fn shown(stderr: &str) -> String {
    let lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let (shown, withheld): (Vec<_>, Vec<_>) =
        lines.partition(|line| SHOWN.iter().any(|beginning| line.starts_with(beginning)));
    // We add this suffix to each revision ourselves.
    let mut text: String = shown.iter().map(|line| format!("{}\n", line.replace("^{commit}", ""))).collect();
    if text.contains("fatal: bad revision '") {
        text.push_str("[words before `--` are revisions; put paths after it; pipes do not work]\n");
    }
    if !withheld.is_empty() {
        text.push_str(
            "[a message of git is not shown, since it may quote a file; ask the user to run the command]\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_a_file_is_withheld() {
        let text = shown("fatal: bad revision 'x'\n\nfatal: unexpected line in .git/packed-refs: hunter2\n");
        assert!(
            text.starts_with("fatal: bad revision 'x'\n[words before") && !text.contains("hunter2"),
            "{text}"
        );
        assert_eq!(shown("\n"), "");
    }
}
