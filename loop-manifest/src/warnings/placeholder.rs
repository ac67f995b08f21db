//! Warns about names in braces that look like placeholders but are not.
//!
//! A prompt may contain many intended braces: JSON, a format string, a component's properties. Warnings about those
//! would teach people to ignore warnings.

use std::collections::HashSet;

use loop_agents::shell::{Placeholder, Template};

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::FieldValue,
    nearest, source,
};

/// A text in braces that is not replaced as its writer expects.
pub(super) struct PlaceholderMistake {
    /// The text with its braces.
    written: String,
    /// The start in the prompt, in bytes.
    offset: usize,
    kind: MistakeKind,
}

enum MistakeKind {
    /// An unknown name.
    Unknown(Option<Placeholder>),
    /// A known name in another spelling: `{ goal }`, `{prior-output}`.
    Otherwise(Placeholder),
    /// A placeholder in double braces: the second pair stays.
    Doubled(Placeholder),
    /// The prompt inside itself.
    Itself,
    /// A variable of the environment: `{env.HOME}`.
    Environment,
}

/// Returns the slips of a prompt, each once.
pub(super) fn mistakes(prompt: &str, template: &Template) -> Vec<PlaceholderMistake> {
    let unknown = template.unknown().iter().filter_map(|unknown| {
        let kind = match nearest::closest(&unknown.name, Placeholder::ALL, Placeholder::name) {
            _ if unknown.name == "prompt" => MistakeKind::Itself,
            None if is_in_code(prompt, unknown.offset) => return None,
            meant => MistakeKind::Unknown(meant),
        };
        Some(PlaceholderMistake { written: format!("{{{}}}", unknown.name), offset: unknown.offset, kind })
    });
    let mut mistakes: Vec<_> = unknown.chain(misspelt(prompt)).collect();
    let mut seen = HashSet::new();
    mistakes.retain(|mistake| seen.insert(mistake.written.clone()));
    mistakes
}

/// Returns whether the text at `offset` is code rather than prose, where a name in braces is intended.
fn is_in_code(prompt: &str, offset: usize) -> bool {
    let (before, after) = prompt.split_at(offset);
    let line = [before.rsplit('\n').next(), after.split('\n').next()];
    before.contains("```") || line.into_iter().flatten().any(|part| part.contains(['`', '"', '=', ';', '$']))
}

/// Finds known names in braces that the template does not treat as placeholders, or only in part.
fn misspelt(prompt: &str) -> impl Iterator<Item = PlaceholderMistake> {
    prompt.match_indices('{').filter_map(|(open, _)| {
        let inner = prompt[open + 1..].split_once('}').map(|(inner, _)| inner)?;
        let is_variable = inner.strip_prefix("env.").is_some_and(|name| !name.contains(char::is_whitespace));
        if is_variable && !prompt[..open].ends_with('$') {
            let written = format!("{{{inner}}}");
            return Some(PlaceholderMistake { written, offset: open, kind: MistakeKind::Environment });
        }
        let meant = Placeholder::named(&inner.trim().replace('-', "_"))?;
        let end = open + inner.len() + 2;
        let is_doubled = prompt[..open].ends_with('{') && prompt[end..].starts_with('}');
        let (start, end) = if is_doubled { (open - 1, end + 1) } else { (open, end) };
        // `${NAME}` belongs to a shell or a script.
        if prompt[..start].ends_with('$') {
            return None;
        }
        let kind = match inner == meant.name() {
            true if is_doubled => MistakeKind::Doubled(meant),
            true => return None,
            false => MistakeKind::Otherwise(meant),
        };
        Some(PlaceholderMistake { written: prompt[start..end].to_owned(), offset: start, kind })
    })
}

impl PlaceholderMistake {
    /// Returns the intended placeholder, as far as it is known.
    pub(super) const fn meant(&self) -> Option<Placeholder> {
        match self.kind {
            MistakeKind::Unknown(meant) => meant,
            MistakeKind::Otherwise(meant) | MistakeKind::Doubled(meant) => Some(meant),
            MistakeKind::Itself | MistakeKind::Environment => None,
        }
    }

    /// Creates the finding. The manifest is `text`.
    pub(super) fn report(&self, prompt: &FieldValue<String>, text: &str) -> Diagnostic {
        let Self { written, offset, kind } = self;
        let before = prompt.value[..*offset].matches(written).count();
        let place: Span = source::find(text, &prompt.span, written, before);
        let stays = || {
            Diagnostic::warning(format!("`{written}` is not a placeholder: it stays in the prompt as it is"))
        };
        let suggested = |meant: Placeholder| nearest::suggestion(Some(&format!("{{{}}}", meant.name())));
        match kind {
            MistakeKind::Itself => stays()
                .at(place, "a prompt cannot contain itself")
                .help("`{prompt}` belongs in `agent.command`, if anywhere"),
            MistakeKind::Environment => stays()
                .at(place, "prompts do not read the environment")
                .help("write `{var.NAME}`, and give its value in `vars` or with `--var NAME=VALUE`"),
            MistakeKind::Unknown(Some(meant)) | MistakeKind::Otherwise(meant) => {
                stays().at(place, suggested(*meant))
            }
            MistakeKind::Unknown(None) => {
                let known = Placeholder::ALL.map(|known| format!("`{{{}}}`", known.name()));
                stays().at(place, "unknown").note(format!("the placeholders are {}", known.join(", ")))
            }
            MistakeKind::Doubled(meant) => {
                Diagnostic::warning(format!("`{written}` is filled in, but a pair of its braces stays"))
                    .at(place, suggested(*meant))
            }
        }
    }
}
