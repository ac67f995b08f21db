//! What seems harmless and is not: options that execute, write, or read what nobody looked at.
//!
//! This is data. An entry is added with what it guards against, and the test below tries every one.

/// What an option does that its program's name does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Executes,
    Writes,
    /// Reads files that are not named as operands, so that nobody can judge them.
    ReadsUnseen,
}

impl Does {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Executes => "it starts another program; run that by itself",
            Self::Writes => "it writes or removes files; use the tools for files",
            Self::ReadsUnseen => {
                "it reads files that are not named one by one; use `search_files`, or name them"
            }
        }
    }
}

/// What a program's words are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Paths of files that it reads.
    Paths,
    /// A pattern or a script, unless one of these options gives it; then paths.
    TextThenPaths(&'static [&'static str]),
    /// Paths up to the first word of an expression (`find`).
    PathsThenExpression,
    /// One path that it reads; a second one it would write.
    OnePath,
    /// No paths.
    Text,
}

/// What is known of one program.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) operands: Operands,
    /// Options whose value is the word behind them, if it is not attached.
    pub(super) valued: &'static [&'static str],
    /// Options whose value is the path of a file that is read; they are valued as well.
    pub(super) files: &'static [&'static str],
    pub(super) refused: &'static [(Does, &'static [&'static str])],
    /// An option without which it does not run, and why.
    pub(super) needs: Option<(&'static str, &'static str)>,
}

const fn program(names: &'static [&'static str], operands: Operands) -> Program {
    Program { names, operands, valued: &[], files: &[], refused: &[], needs: None }
}

use Does::{Executes, ReadsUnseen, Writes};
use Operands::{OnePath, Paths, PathsThenExpression, Text, TextThenPaths};

/// Programs of which something is known. Of all others every word counts as a path.
pub(super) const PROGRAMS: &[Program] = &[
    Program { valued: &["-I", "--ignore", "-w", "--width"], ..program(&["ls"], Paths) },
    program(&["cat", "stat", "cmp", "nl"], Paths),
    Program { refused: &[(ReadsUnseen, &["--files0-from"])], ..program(&["du"], Paths) },
    Program {
        refused: &[
            (Executes, &["-z", "-Z", "--uncompress"]),
            (Writes, &["-C", "--compile"]),
            (ReadsUnseen, &["-f", "--files-from", "-m", "--magic-file"]),
        ],
        ..program(&["file"], Paths)
    },
    program(&["pwd", "echo", "true", "false", "basename", "dirname", "tr"], Text),
    Program {
        valued: &[
            "-e",
            "--regexp",
            "-m",
            "--max-count",
            "-A",
            "-B",
            "-C",
            "--include",
            "--exclude",
            "-d",
            "-D",
        ],
        files: &["-f", "--file", "--exclude-from"],
        refused: &[(
            ReadsUnseen,
            &["-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories"],
        )],
        ..program(&["grep"], TextThenPaths(&["-e", "--regexp", "-f", "--file"]))
    },
    Program { valued: &["-n", "--lines", "-c", "--bytes"], ..program(&["head"], Paths) },
    Program {
        valued: &["-n", "--lines", "-c", "--bytes", "-s", "--sleep-interval", "--pid"],
        ..program(&["tail"], Paths)
    },
    Program { refused: &[(ReadsUnseen, &["--files0-from"])], ..program(&["wc"], Paths) },
    Program {
        refused: &[
            (Executes, &["-exec", "-execdir", "-ok", "-okdir"]),
            (Writes, &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
            // Links are followed out of the workspace.
            (ReadsUnseen, &["-files0-from", "-L", "-H", "-follow"]),
        ],
        ..program(&["find"], PathsThenExpression)
    },
    Program {
        valued: &["--indent"],
        refused: &[
            // Their values come two at a time.
            (
                ReadsUnseen,
                &[
                    "--slurpfile",
                    "--rawfile",
                    "--argfile",
                    "-L",
                    "--library-path",
                    "-f",
                    "--from-file",
                    "--run-tests",
                ],
            ),
        ],
        ..program(&["jq"], TextThenPaths(&[]))
    },
    Program {
        valued: &["-a", "--attribute", "-r", "--remove-nodes", "-b", "--base"],
        files: &["-f", "--filename"],
        refused: &[(Writes, &["-o", "--output"])],
        ..program(&["htmlq"], Text)
    },
    Program {
        valued: &["-l", "--language", "-r", "--line-range", "-H", "--highlight-line", "--theme", "--style"],
        refused: &[
            (Executes, &["--pager", "--lessopen"]),
            (Writes, &["--build", "--clear", "--generate-config-file", "--source", "--target"]),
        ],
        ..program(&["bat", "batcat"], Paths)
    },
    Program {
        valued: &["-e", "--regexp", "-g", "--glob", "-t", "--type", "-m", "-A", "-B", "-C", "--iglob"],
        files: &["-f", "--file", "--ignore-file"],
        refused: &[
            (Executes, &["--pre", "--hostname-bin", "-z", "--search-zip"]),
            (ReadsUnseen, &["-.", "--hidden", "-u", "--unrestricted", "-L", "--follow"]),
        ],
        ..program(&["rg"], TextThenPaths(&["-e", "--regexp", "-f", "--file", "--files"]))
    },
    Program {
        valued: &["-k", "--key", "-t", "--field-separator", "-S", "--buffer-size"],
        refused: &[
            (Executes, &["--compress-program"]),
            (Writes, &["-o", "--output", "-T", "--temporary-directory"]),
            (ReadsUnseen, &["--files0-from"]),
        ],
        ..program(&["sort"], Paths)
    },
    Program { valued: &["-f", "-s", "-w"], ..program(&["uniq"], OnePath) },
    Program { valued: &["-d", "-f", "-c", "-b"], ..program(&["cut"], Paths) },
    Program {
        valued: &["-d", "--date"],
        files: &["-f", "--file", "-r", "--reference"],
        refused: &[(Writes, &["-s", "--set"])],
        ..program(&["date"], Text)
    },
    Program {
        valued: &["-e", "--expression"],
        files: &["-f", "--file"],
        refused: &[(Writes, &["-i", "--in-place"])],
        needs: Some(("--sandbox", "its scripts can execute and write (`e`, `w`)")),
        ..program(&["sed"], TextThenPaths(&["-e", "--expression", "-f", "--file"]))
    },
    Program {
        valued: &["-F", "--field-separator", "-v", "--assign", "-e", "--source"],
        files: &["-f", "--file"],
        refused: &[(Executes, &["-l", "--load", "-i", "--include"]), (Writes, &["-o", "-d", "-p"])],
        needs: Some(("--sandbox", "its scripts can execute and write (`system`, `print >`)")),
        ..program(&["gawk", "awk"], TextThenPaths(&["-f", "--file", "-e", "--source"]))
    },
    Program {
        valued: &["-b", "--blocking-factor", "--exclude"],
        files: &["-f", "--file"],
        refused: &[
            (
                Executes,
                &["--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command"],
            ),
            (Executes, &["-F", "--info-script", "--new-volume-script", "--rmt-command"]),
            (
                Writes,
                &[
                    "-x",
                    "--extract",
                    "--get",
                    "-c",
                    "--create",
                    "-r",
                    "--append",
                    "-u",
                    "--update",
                    "--delete",
                ],
            ),
            (Writes, &["-A", "--catenate", "--concatenate", "--remove-files", "--index-file"]),
            (ReadsUnseen, &["-T", "--files-from", "-C", "--directory"]),
        ],
        // Without the dash, the first word would be a bundle of options.
        needs: Some(("-t", "all other modes write files")),
        ..program(&["tar"], Text)
    },
];

/// Programs that start others, beside those that [`wrapper`](super::wrapper) looks through.
pub(super) const STARTERS: &[&str] = &[
    "busybox", "chroot", "doas", "fish", "flock", "nsenter", "parallel", "script", "su", "unshare", "watch",
];

/// What is known of this program.
pub(super) fn find(program: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|known| known.names.contains(&program))
}
