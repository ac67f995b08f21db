//! Errors and warnings about a manifest: the problem, its place, and the next step.
//!
//! A manifest is written by hand, often at the end of a day, and a message that only says
//! "invalid type" sends its writer to the documentation. So every finding carries the place in the
//! file, a sentence about it, and the next step; and all that can be found at once is shown at once.

use std::{cmp::Reverse, fmt, path::Path};

use annotate_snippets::Renderer;
use loop_telemetry::secrets_in_addresses;

pub(crate) use crate::diagnostic::{COMMAND_LINE, Diagnostic, Span};
use crate::{
    diagnostic::{Severity, Sources, without_secrets},
    named_secrets,
};

/// The style of a rendering: with terminal colours or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Plain text, for files, pipes and `NO_COLOR`.
    Plain,
    /// With ANSI escape sequences.
    Coloured,
}

/// All findings about one manifest, in the order of their locations. Values with the names of secrets, and credentials
/// in server addresses, appear as `*`.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    sources: Sources,
    findings: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Collects `findings` about `text`, which was read from `path`.
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>, findings: Vec<Diagnostic>) -> Self {
        Self::with_line(path, text, "", findings)
    }

    /// Collects `findings` about `text`, and about the command line `line`, which follows it after a line feed.
    pub(crate) fn with_line(
        path: impl Into<String>,
        text: impl Into<String>,
        line: &str,
        mut findings: Vec<Diagnostic>,
    ) -> Self {
        findings.sort_by_key(|finding| finding.marks.first().map_or(0, |mark| mark.span.start));
        let (text, path): (String, String) = (text.into(), path.into());
        let mut secrets: Vec<String> = Vec::new();
        for (path, text) in [(&*path, &*text), ("", line)] {
            let found = secrets_in_addresses(text).into_iter().chain(named_secrets::find(path, text));
            secrets.extend(found.map(str::to_owned));
        }
        // A secret may be a part of another one.
        secrets.sort_by_key(|secret| Reverse(secret.len()));
        findings.iter_mut().for_each(|finding| finding.remove_secrets(&secrets));
        let (text, line) = (without_secrets(text, &secrets), without_secrets(line.to_owned(), &secrets));
        Self { sources: Sources { path, text, line }, findings }
    }

    /// A finding about a file as a whole, such as one that cannot be read.
    pub(crate) fn of_file(path: &Path, finding: Diagnostic) -> Self {
        Self::new(path.display().to_string(), "", vec![finding])
    }

    /// The parts that have to be written before the manifest can be run, as errors. `None` if it is finished.
    pub fn unfinished(&self) -> Option<Self> {
        let unfinished = self.findings.iter().filter(|finding| finding.severity == Severity::Unfinished);
        let findings: Vec<_> = unfinished.map(Diagnostic::as_error).collect();
        (!findings.is_empty()).then(|| Self { findings, ..self.clone() })
    }

    /// Formats the findings in the style of rustc, each with its lines of the file. The text ends with a line feed
    /// unless it is empty.
    pub fn render(&self, paint: Paint) -> String {
        let renderer = match paint {
            Paint::Plain => Renderer::plain(),
            Paint::Coloured => Renderer::styled(),
        };
        let blocks: Vec<String> =
            self.findings.iter().map(|it| it.render(&renderer, &self.sources) + "\n").collect();
        blocks.join("\n")
    }
}

impl std::error::Error for Diagnostics {}

/// Without colours.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Paint::Plain))
    }
}
