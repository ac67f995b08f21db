//! Errors and warnings about a manifest: the problem, its place, and the next step.
//!
//! A manifest is written by hand, often at the end of a day, and a message that only says
//! "invalid type" sends its writer to the documentation. So every finding carries the place in the
//! file, a sentence about it, and the next step; and all that can be found at once is shown at once.

use std::{cmp::Reverse, fmt, ops::Range, path::Path};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use loop_telemetry::secrets_in_addresses;

use crate::named_secrets;

/// A place in a manifest's text, in bytes.
pub(crate) type Span = Range<usize>;

/// The style of a rendering: with terminal colours or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Plain text, for files, pipes and `NO_COLOR`.
    Plain,
    /// With ANSI escape sequences.
    Coloured,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
    Unfinished,
}

#[derive(Debug, Clone)]
struct Label {
    span: Span,
    label: String,
}

/// One finding.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    severity: Severity,
    title: String,
    marks: Vec<Label>,
    notes: Vec<String>,
    help: Vec<String>,
}

impl Diagnostic {
    /// Creates an error: the manifest is unusable.
    pub(crate) fn error(title: impl Into<String>) -> Self {
        Self::new(Severity::Error, title.into())
    }

    /// Creates a warning: the manifest works, but probably not as intended.
    pub(crate) fn warning(title: impl Into<String>) -> Self {
        Self::new(Severity::Warning, title.into())
    }

    /// Creates a finding that is a warning in a display of the manifest, and an error when it is to run.
    pub(crate) fn unfinished(title: impl Into<String>) -> Self {
        Self::new(Severity::Unfinished, title.into())
    }

    fn new(severity: Severity, title: String) -> Self {
        Self { severity, title, marks: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// Points at a location. The first location is the finding's own; later ones explain it.
    pub(crate) fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.marks.push(Label { span, label: label.into() });
        self
    }

    /// Adds a fact that explains the finding.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a next step.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Moves all locations to one place.
    pub(crate) fn moved(mut self, span: &Span) -> Self {
        self.marks.iter_mut().for_each(|mark| mark.span = span.clone());
        self
    }

    /// Replaces the title.
    pub(crate) fn titled(self, title: String) -> Self {
        Self { title, ..self }
    }

    /// Removes these secrets from the texts.
    fn remove_secrets(&mut self, secrets: &[String]) {
        let labels = self.marks.iter_mut().map(|mark| &mut mark.label);
        let texts = [&mut self.title].into_iter().chain(labels).chain(&mut self.notes).chain(&mut self.help);
        texts.for_each(|text| *text = without_secrets(std::mem::take(text), secrets));
    }

    fn render(&self, renderer: &Renderer, sources: &Sources) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning | Severity::Unfinished => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(&self.title));
        let Some(first) = self.marks.first() else {
            group = group.element(Origin::path(&sources.path));
            return self.render_advice(renderer, group);
        };
        let is_first_in_line = sources.is_in_line(&first.span);
        for in_line in [is_first_in_line, !is_first_in_line] {
            let (path, text) = sources.part(in_line);
            let marks = self.marks.iter().enumerate();
            let marks = marks.filter(|(_, mark)| sources.is_in_line(&mark.span) == in_line);
            let marks: Vec<_> = marks.map(|(index, mark)| annotation(index, mark, sources, text)).collect();
            if !marks.is_empty() {
                group = group.element(Snippet::source(text).path(path).annotations(marks));
            }
        }
        self.render_advice(renderer, group)
    }

    fn render_advice<'a>(&'a self, renderer: &Renderer, mut group: Group<'a>) -> String {
        group = group.elements(self.notes.iter().map(|note| Level::NOTE.message(note)));
        group = group.elements(self.help.iter().map(|help| Level::HELP.message(help)));
        renderer.render(&[group])
    }
}

/// The text with as many `*` in the place of each secret, so that all places stay where they are.
fn without_secrets(text: String, secrets: &[String]) -> String {
    secrets.iter().fold(text, |text, secret| match text.contains(secret) {
        true => text.replace(secret, &"*".repeat(secret.len())),
        false => text,
    })
}

fn annotation<'a>(index: usize, mark: &'a Label, sources: &Sources, text: &str) -> Annotation<'a> {
    let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    let base = if sources.is_in_line(&mark.span) { sources.base() } else { 0 };
    let annotation = kind.span(first_line(&(mark.span.start - base..mark.span.end - base), text));
    if mark.label.is_empty() { annotation } else { annotation.label(mark.label.as_str()) }
}

/// Returns the span's first line. A prompt may have a hundred lines, and a bracket around all of them would hide the
/// message.
fn first_line(span: &Span, text: &str) -> Span {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end).max(start);
    let line = text[start..end].split(['\r', '\n']).next().unwrap_or_default();
    start..start + line.len()
}

/// All findings about one manifest, in the order of their locations. Values with the names of secrets, and credentials
/// in server addresses, appear as `*`.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    sources: Sources,
    findings: Vec<Diagnostic>,
}

/// The texts that locations point into: a file, and the command line that follows it after a line feed.
#[derive(Debug, Clone)]
struct Sources {
    path: String,
    text: String,
    /// Empty without overrides.
    line: String,
}

impl Sources {
    /// Returns where the command line begins.
    fn base(&self) -> usize {
        self.text.len() + 1
    }

    fn is_in_line(&self, span: &Span) -> bool {
        !self.line.is_empty() && span.start >= self.base()
    }

    /// Returns the name and the text of the file, or of the command line.
    fn part(&self, in_line: bool) -> (&str, &str) {
        if in_line { (COMMAND_LINE, &self.line) } else { (&self.path, &self.text) }
    }
}

/// The name of the command line in messages.
pub(crate) const COMMAND_LINE: &str = "the command line";

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
        let error = |finding: &Diagnostic| Diagnostic { severity: Severity::Error, ..finding.clone() };
        let findings: Vec<_> = unfinished.map(error).collect();
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
