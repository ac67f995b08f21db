//! Errors and warnings about a manifest: the problem, its place, and the next step.
//!
//! A manifest is written by hand, often at the end of a day, and a message that only says
//! "invalid type" sends its writer to the documentation. So every finding carries the place in the
//! file, a sentence about it, and the next step; and all that can be found at once is shown at once.

use std::{cmp::Reverse, fmt, path::Path};

use annotate_snippets::Renderer;
use loop_telemetry::{Redactor, secrets_in_addresses};

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
        findings.iter_mut().for_each(|finding| finding.change_texts(|text| without_secrets(text, &secrets)));
        let (text, line) = (without_secrets(&text, &secrets), without_secrets(line, &secrets));
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

    /// Returns whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Hides these secrets, in the findings and in the lines that [`render`](Self::render) shows. Call it before that:
    /// a rendering shows only a part of a long line, and nothing can find the part of a secret in it.
    ///
    /// ```
    /// use loop_manifest::{Paint, Plan, Source};
    /// use loop_telemetry::Redactor;
    /// let source = Source::from_bytes("loop.toml".as_ref(), b"goal = hunter2-hunter2".into())?;
    /// let findings = Plan::of(source).unwrap_err();
    /// let shown = findings.redacted(&Redactor::new(["hunter2-hunter2"])).render(Paint::Plain);
    /// assert!(shown.contains("goal = ***************"));
    /// # Ok::<(), loop_manifest::Diagnostics>(())
    /// ```
    #[must_use]
    pub fn redacted(&self, secrets: &Redactor) -> Self {
        let Self { sources: Sources { path, text, line }, mut findings } = self.clone();
        findings
            .iter_mut()
            .for_each(|finding| finding.change_texts(|text| secrets.redact(text).into_owned()));
        let path = secrets.redact(&path).into_owned();
        let [text, line] = [text, line].map(|text| secrets.mask(&text).into_owned());
        Self { sources: Sources { path, text, line }, findings }
    }

    /// Formats the findings in the style of rustc, each with its lines of the file. It leaves out the ends of long
    /// lines. The text ends with a line feed unless it is empty.
    pub fn render(&self, paint: Paint) -> String {
        self.render_with(&match paint {
            Paint::Plain => Renderer::plain(),
            Paint::Coloured => Renderer::styled(),
        })
    }

    /// Like the plain [`render`](Self::render), with whole lines. A caller that cannot redact the findings shows these:
    /// secrets in them can still be found.
    pub(crate) fn in_whole_lines(&self) -> String {
        self.render_with(&Renderer::plain().term_width(WIDEST))
    }

    fn render_with(&self, renderer: &Renderer) -> String {
        let blocks: Vec<String> =
            self.findings.iter().map(|it| it.render(renderer, &self.sources) + "\n").collect();
        blocks.join("\n")
    }
}

/// A width that no line of a file reaches. The renderer calculates with multiples of it.
const WIDEST: usize = 1 << 30;

impl std::error::Error for Diagnostics {}

/// Without colours, and without [redaction](Diagnostics::redacted) of other secrets than the file's own.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Paint::Plain))
    }
}
