//! Formatters: each reads a file from its standard input, and prints the new one.

use std::{fmt, future::pending, time::Duration};

use loop_core::with_causes;
use loop_guardrails::policy::workspace::Workspace;

use super::{
    super::{MAX_CONTENT_BYTES, ToolContext, ToolError, read_file},
    kept_words::keeps_words,
    style_file::{self, PrettierStyle},
};
use crate::process::{Process, ProcessError, ProcessOutput};

/// The most bytes of a reason why a formatter failed.
const REASON_BYTES: usize = 2_000;

/// The edition of Rust if no package names one.
const DEFAULT_EDITION: &str = "2021";

/// The result of formatting a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatOutcome {
    /// This program changed the file.
    Formatted(String),
    /// The file is formatted already.
    Unchanged,
    /// There is no formatter for the file, or it is not installed.
    NoFormatter,
    /// The file stays as it was.
    Failed {
        /// The formatter; empty if the file cannot be read.
        program: String,
        /// Its first line, or another reason.
        reason: String,
    },
}

impl fmt::Display for FormatOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formatted(program) => write!(f, "formatted by {program}"),
            Self::Unchanged => f.write_str("unchanged"),
            Self::NoFormatter => f.write_str("no formatter"),
            Self::Failed { program, reason } if program.is_empty() => write!(f, "failed: {reason}"),
            Self::Failed { program, reason } => {
                write!(f, "not formatted, because {program} failed: {reason}")
            }
        }
    }
}

/// A formatter and its words for one file.
#[derive(Debug)]
enum Formatter {
    /// A command line of the user.
    Line(String),
    Words(&'static str, Vec<String>),
}

impl Formatter {
    fn name(&self) -> &str {
        match self {
            Self::Line(line) => line.split_whitespace().next().unwrap_or_default(),
            Self::Words(program, _) => program,
        }
    }

    fn process(self, path: &str, cx: &ToolContext) -> Process {
        let process = cx.process().found_outside(cx.workspace().root());
        match self {
            Self::Line(line) => process.line(line).also_env([("LOOP_FILE", path)]),
            // In a folder of the workspace, a file there could choose the version of the program, and so the program.
            Self::Words(program, words) => process.words(program, words).dir("/"),
        }
    }
}

/// Formats a file with this command line, or with the formatter of its language. The file is replaced at once, and only if
/// the formatter printed a file with the same words.
pub(super) async fn format(
    path: &str,
    own: Option<&str>,
    limit: Duration,
    cx: &ToolContext,
) -> FormatOutcome {
    let failed = |program: &str, reason: String| {
        let reason = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        FormatOutcome::Failed { program: program.to_owned(), reason }
    };
    let (asked, own) = (path.to_owned(), own.map(str::to_owned));
    let read = cx.blocking(move |workspace, _| {
        let Some(formatter) = chosen(workspace, &asked, own)? else { return Ok(None) };
        let read = workspace.read(&asked)?;
        let place = read.path.to_string();
        let text = read_file::whole(read.file, &asked, MAX_CONTENT_BYTES)?;
        // A person approves each change of a file that `loop` executes or follows, as it is shown.
        let may_write = workspace.check_write(&asked, text.as_bytes()).is_ok();
        Ok(may_write.then_some((formatter, text, place)))
    });
    let (formatter, old, place) = match read.await {
        Ok(Some(read)) => read,
        Ok(None) => return FormatOutcome::NoFormatter,
        Err(error) => return failed("", error.to_string()),
    };
    let program = formatter.name().to_owned();
    let process = formatter.process(&place, cx).input(old.as_bytes());
    let process = process.max_time(limit).capture_limit(MAX_CONTENT_BYTES);
    let printed = match cx.confined_script(process).await {
        Ok((process, _)) => process.run(pending(), |_, _| {}).await,
        Err(error) => return failed(&program, error.to_string()),
    };
    let new = match printed {
        Err(ProcessError::NotFound { .. }) => return FormatOutcome::NoFormatter,
        Ok(finished) if finished.exit.shell_code() == 127 => return FormatOutcome::NoFormatter,
        Err(error) => return failed(&program, with_causes(&error)),
        Ok(finished) => match new_text(&old, &finished) {
            Ok(new) => new,
            Err(reason) => return failed(&program, reason),
        },
    };
    if new == old {
        return FormatOutcome::Unchanged;
    }
    let asked = path.to_owned();
    let written = cx.blocking(move |workspace, _| {
        if read_file::whole(workspace.read(&asked)?.file, &asked, MAX_CONTENT_BYTES)? != old {
            return Err(ToolError::failed("the file changed meanwhile"));
        }
        Ok(workspace.write(&asked, new.as_bytes())?)
    });
    match written.await {
        Ok(_) => FormatOutcome::Formatted(program),
        Err(error) => failed(&program, error.to_string()),
    }
}

/// Returns the file that a formatter printed.
fn new_text(old: &str, finished: &ProcessOutput) -> Result<String, String> {
    if let Some(cut) = &finished.cut {
        return Err(format!("it was ended {cut}"));
    }
    if !finished.exit.success() {
        let reason = finished.stderr.excerpt(REASON_BYTES);
        let exit = format!("it ended with {}", finished.exit.shell_code());
        return Err(if reason.trim().is_empty() { exit } else { reason });
    }
    if finished.stdout.omitted() > 0 {
        return Err("it printed too much".to_owned());
    }
    let new = String::from_utf8(finished.stdout.to_bytes()).map_err(|_| "it printed no text".to_owned())?;
    match keeps_words(old, &new) {
        true => Ok(new),
        false => Err("it printed other words than those of the file".to_owned()),
    }
}

/// Returns the formatter of a file.
fn chosen(workspace: &Workspace, path: &str, own: Option<String>) -> Result<Option<Formatter>, ToolError> {
    if let Some(line) = own {
        return Ok(Some(Formatter::Line(line)));
    }
    let whole = workspace.root().join(path).to_string_lossy().into_owned();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let extension =
        path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    let (program, words) = match extension.unwrap_or_default() {
        "rs" => {
            let edition = style_file::rust_edition(workspace, path);
            let mut words = words(&["--quiet", "--edition", edition.as_deref().unwrap_or(DEFAULT_EDITION)]);
            let style = style_file::nearest(workspace, path, &["rustfmt.toml", ".rustfmt.toml"]);
            if let Some(style) = style {
                words.extend(["--config-path".to_owned(), style.to_string_lossy().into_owned()]);
            }
            ("rustfmt", words)
        }
        "go" => ("gofmt", Vec::new()),
        "c" | "h" | "cc" | "hh" | "cpp" | "hpp" | "cxx" | "hxx" => {
            ("clang-format", vec![format!("--assume-filename={whole}")])
        }
        "py" | "pyi" => ("black", words(&["--quiet", "--stdin-filename", &whole, "-"])),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "css" | "html" | "md" | "yaml"
        | "yml" | "json" => {
            let mut words = words(&["--stdin-filepath", &whole]);
            match style_file::of_prettier(workspace, path) {
                PrettierStyle::Default => words.push("--no-config".to_owned()),
                PrettierStyle::Data(style) => {
                    words.extend(["--config".to_owned(), style.to_string_lossy().into_owned()]);
                }
                PrettierStyle::Program(file) => {
                    let why = format!("the style in `{file}` may run a program");
                    return Err(ToolError::rejected(why));
                }
            }
            ("prettier", words)
        }
        _ => return Ok(None),
    };
    Ok(Some(Formatter::Words(program, words)))
}
