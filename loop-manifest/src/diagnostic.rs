//! One error or warning about a manifest, and its places in the text.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// A place in a manifest's text, in bytes.
pub(crate) type Span = Range<usize>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Error,
    Warning,
    Unfinished,
}

#[derive(Debug, Clone)]
pub(super) struct Label {
    pub(super) span: Span,
    label: String,
}

/// One finding.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    pub(super) severity: Severity,
    title: String,
    pub(super) marks: Vec<Label>,
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

    /// Returns the finding as an error.
    pub(super) fn as_error(&self) -> Self {
        Self { severity: Severity::Error, ..self.clone() }
    }

    /// Replaces the title.
    pub(crate) fn titled(self, title: String) -> Self {
        Self { title, ..self }
    }

    /// Changes each text with this function.
    pub(super) fn change_texts(&mut self, change: impl Fn(&str) -> String) {
        let labels = self.marks.iter_mut().map(|mark| &mut mark.label);
        let texts = [&mut self.title].into_iter().chain(labels).chain(&mut self.notes).chain(&mut self.help);
        texts.for_each(|text| *text = change(text));
    }

    pub(super) fn render(&self, renderer: &Renderer, sources: &Sources) -> String {
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
pub(super) fn without_secrets(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| match text.contains(secret) {
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

/// The texts that locations point into: a file, and the command line that follows it after a line feed.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    pub(super) path: String,
    pub(super) text: String,
    /// Empty without overrides.
    pub(super) line: String,
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
