//! Warns about names in braces that look like placeholders but are not.
//!
//! A prompt may contain many intended braces: JSON, a format string, a component's properties. Warnings about those
//! would teach people to ignore warnings.

use std::collections::HashSet;

use loop_agents::shell::{Placeholder, Template};

use super::super::{
    diagnostics::{Diagnostic, Span},
    field::At,
    nearest, source,
};

/// A text in braces that is not replaced as its writer expects.
pub(super) struct Slip {
    /// The text with its braces.
    written: String,
    /// The start in the prompt, in bytes.
    offset: usize,
    kind: Kind,
}

enum Kind {
    /// An unknown name.
    Unknown(Option<Placeholder>),
    /// A known name in another spelling: `{ goal }`, `{prior-output}`.
    Otherwise(Placeholder),
    /// A placeholder in double braces: the second pair stays.
    Doubled(Placeholder),
    /// The prompt inside itself.
    Itself,
}

/// Returns the slips of a prompt, each once.
pub(super) fn slips(prompt: &str, template: &Template) -> Vec<Slip> {
    let unknown = template.unknown().iter().filter_map(|unknown| {
        let kind = match nearest::closest(&unknown.name, Placeholder::ALL, Placeholder::name) {
            _ if unknown.name == "prompt" => Kind::Itself,
            None if is_in_code(prompt, unknown.offset) => return None,
            meant => Kind::Unknown(meant),
        };
        Some(Slip { written: format!("{{{}}}", unknown.name), offset: unknown.offset, kind })
    });
    let mut slips: Vec<_> = unknown.chain(misspelt(prompt)).collect();
    let mut seen = HashSet::new();
    slips.retain(|slip| seen.insert(slip.written.clone()));
    slips
}

/// Returns whether the text at `offset` is code rather than prose, where a name in braces is intended.
fn is_in_code(prompt: &str, offset: usize) -> bool {
    let (before, after) = prompt.split_at(offset);
    let line = [before.rsplit('\n').next(), after.split('\n').next()];
    before.contains("```") || line.into_iter().flatten().any(|part| part.contains(['`', '"', '=', ';', '$']))
}

/// Finds known names in braces that the template does not treat as placeholders, or only in part.
fn misspelt(prompt: &str) -> impl Iterator<Item = Slip> {
    prompt.match_indices('{').filter_map(|(open, _)| {
        let inner = prompt[open + 1..].split_once('}').map(|(inner, _)| inner)?;
        let meant = Placeholder::named(&inner.trim().replace('-', "_"))?;
        let end = open + inner.len() + 2;
        let is_doubled = prompt[..open].ends_with('{') && prompt[end..].starts_with('}');
        let (start, end) = if is_doubled { (open - 1, end + 1) } else { (open, end) };
        // `${NAME}` belongs to a shell or a script.
        if prompt[..start].ends_with('$') {
            return None;
        }
        let kind = match inner == meant.name() {
            true if is_doubled => Kind::Doubled(meant),
            true => return None,
            false => Kind::Otherwise(meant),
        };
        Some(Slip { written: prompt[start..end].to_owned(), offset: start, kind })
    })
}

impl Slip {
    /// Returns the intended placeholder, as far as it is known.
    pub(super) const fn meant(&self) -> Option<Placeholder> {
        match self.kind {
            Kind::Unknown(meant) => meant,
            Kind::Otherwise(meant) | Kind::Doubled(meant) => Some(meant),
            Kind::Itself => None,
        }
    }

    /// Creates the finding. The manifest is `text`.
    pub(super) fn report(&self, prompt: &At<String>, text: &str) -> Diagnostic {
        let Self { written, offset, kind } = self;
        let before = prompt.value[..*offset].matches(written).count();
        let place: Span = source::find(text, &prompt.span, written, before);
        let stays = || {
            Diagnostic::warning(format!("`{written}` is not a placeholder: it stays in the prompt as it is"))
        };
        let suggested = |meant: Placeholder| nearest::suggestion(Some(&format!("{{{}}}", meant.name())));
        match kind {
            Kind::Itself => stays()
                .at(place, "a prompt cannot hold itself")
                .help("`{prompt}` belongs in `agent.command`, if anywhere"),
            Kind::Unknown(Some(meant)) | Kind::Otherwise(meant) => stays().at(place, suggested(*meant)),
            Kind::Unknown(None) => {
                let known = Placeholder::ALL.map(|known| format!("`{{{}}}`", known.name()));
                stays().at(place, "unknown").note(format!("the placeholders are {}", known.join(", ")))
            }
            Kind::Doubled(meant) => {
                Diagnostic::warning(format!("`{written}` is filled in, and a pair of its braces stays"))
                    .at(place, suggested(*meant))
            }
        }
    }
}
