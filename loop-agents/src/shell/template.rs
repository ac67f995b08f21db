//! The prompt's template.
//!
//! An agent's output returns to it in its next prompt. If we filled a template by replacing one name after the other,
//! we would also expand that output: an agent that prints `{goal}`, or `$&`, would then write its own prompt. So we
//! split a template into its parts once, and fill it in one pass that only copies values.

use super::{
    placeholder::{Placeholder, PromptValues},
    variables::{Piece, Variables},
};

/// A prompt with placeholders such as `{goal}`; [`Placeholder`] lists them.
///
/// Everything else is text. Braces around anything but a name, such as `{"a": 1}`, are not an error. An unknown name
/// stays as it is, and [`unknown`](Self::unknown) lists it.
///
/// ```
/// use loop_agents::shell::{Template, PromptValues};
///
/// let template = Template::new("Do {goal}. Last time: {prior_output}. Answer as {\"done\": true}.");
/// let prior_output = "{goal} $& \\1".into();
/// let values = PromptValues { goal: "the dishes".into(), prior_output, ..PromptValues::default() };
/// assert_eq!(
///     template.render(&values),
///     "Do the dishes. Last time: {goal} $& \\1. Answer as {\"done\": true}.",
/// );
/// assert_eq!(template.after("{goal}: ").render(&PromptValues::default())[..11], *"{goal}: Do ");
/// assert_eq!(Template::new("{gaol}").unknown()[0].name, "gaol");
/// ```
#[derive(Debug, Clone)]
pub struct Template {
    parts: Vec<Part>,
    unknown: Vec<UnknownPlaceholder>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Value(Placeholder),
}

/// A name in braces that is not a placeholder, for a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownPlaceholder {
    /// The name without its braces.
    pub name: String,
    /// The offset of its opening brace, in bytes.
    pub offset: usize,
}

/// The heading before a person's note if the template has no place for it.
const GUIDANCE_HEADING: &str = "A note from the person who supervises this work:";

impl Template {
    /// Reads a template. Every text is valid.
    pub fn new(text: &str) -> Self {
        Self::with_variables(text, &Variables::default())
    }

    /// Reads a template with these values for its variables. Placeholders in a value are text.
    pub fn with_variables(text: &str, values: &Variables) -> Self {
        let mut template = Self { parts: Vec::new(), unknown: Vec::new() };
        for piece in values.pieces(text) {
            match piece {
                Piece::Text(text, start) => template.read(text, start),
                Piece::Value(value) => template.parts.push(Part::Text(value.to_owned())),
            }
        }
        template
    }

    /// Puts a text before the template. Placeholders in it are text.
    #[must_use]
    pub fn after(mut self, text: impl Into<String>) -> Self {
        self.parts.insert(0, Part::Text(text.into()));
        self
    }

    /// Reads the part of a template that begins at byte `start`.
    fn read(&mut self, text: &str, start: usize) {
        let mut plain = String::new();
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|found| at + found) {
            let name = name_in_braces(&text[open..]);
            let Some(name) = name else {
                plain.push_str(&text[at..=open]);
                at = open + 1;
                continue;
            };
            let end = open + name.len() + 2;
            if let Some(placeholder) = Placeholder::named(name) {
                plain.push_str(&text[at..open]);
                self.parts.extend([Part::Text(std::mem::take(&mut plain)), Part::Value(placeholder)]);
            } else {
                plain.push_str(&text[at..end]);
                // `${NAME}` belongs to a shell or a script, and is not a mistake.
                if !text[..open].ends_with('$') {
                    self.unknown.push(UnknownPlaceholder { name: name.to_owned(), offset: start + open });
                }
            }
            at = end;
        }
        plain.push_str(&text[at..]);
        self.parts.push(Part::Text(plain));
    }

    /// Returns the unknown names in braces, in their order.
    pub fn unknown(&self) -> &[UnknownPlaceholder] {
        &self.unknown
    }

    /// Returns the texts between the placeholders.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Value(_) => None,
        })
    }

    /// Returns true if the template contains this placeholder.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Value(value) if *value == placeholder))
    }

    /// Returns the prompt. It copies values without interpreting them. If the template has no place for a person's
    /// note, the note is appended, so that it is not lost. So is the [notice](PromptValues::notice).
    pub fn render(&self, values: &PromptValues<'_>) -> String {
        let mut prompt = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => prompt.push_str(text),
                Part::Value(placeholder) => prompt.push_str(&values.of(*placeholder)),
            }
        }
        let mut append = |text: &str| {
            prompt.truncate(prompt.trim_end_matches('\n').len());
            prompt.push_str(&format!("\n\n{text}\n"));
        };
        match values.guidance.as_deref() {
            Some(note) if !note.is_empty() && !self.mentions(Placeholder::Guidance) => {
                append(&format!("{GUIDANCE_HEADING}\n{note}"));
            }
            _ => {}
        }
        if !values.notice.is_empty() {
            append(&values.notice);
        }
        prompt
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Returns the name if `text` begins with a name in braces.
fn name_in_braces(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::{Ceiling, Usd};
    use proptest::prelude::*;

    use super::*;
    use crate::process::Exit;

    proptest! {
        #[test]
        fn values_come_through_untouched_and_in_order(
            texts in prop::collection::vec("[a-z {}$\n]{0,8}", 3),
            goal in r"(\{goal\}|\{prior_output\}|[$&\\1{}é]){0,6}",
            prior in r"(\{goal\}|\{iteration\}|[$&\\1{}é]){0,6}",
        ) {
            // The texts must not form names together with the placeholders.
            let safe: Vec<String> = texts.iter().map(|text| text.replace('{', "(")).collect();
            let template = format!("{}{{goal}}{}{{prior_output}}{}", safe[0], safe[1], safe[2]);
            let values =
                PromptValues { goal: goal.as_str().into(), prior_output: prior.as_str().into(), ..PromptValues::default() };
            let expected = format!("{}{goal}{}{prior}{}", safe[0], safe[1], safe[2]);
            prop_assert_eq!(Template::new(&template).render(&values), expected);
        }

        #[test]
        fn a_template_without_placeholders_is_its_own_prompt(text in r"([a-z{}$\\é\n ]|\{x1\}){0,30}") {
            let known = Placeholder::ALL.iter().any(|known| text.contains(known.name()));
            prop_assume!(!known);
            prop_assert_eq!(Template::new(&text).render(&PromptValues::default()), text);
        }
    }

    #[test]
    fn every_placeholder_has_its_value() {
        let names: Vec<String> =
            Placeholder::ALL.iter().map(|placeholder| format!("{{{}}}", placeholder.name())).collect();
        let mut values = PromptValues {
            goal: "g".into(),
            prior_output: "out".into(),
            evaluator_output: "judged".into(),
            iteration: 2,
            agent_exit: Some(Exit::Signal(9)),
            evaluator_exit_code: Some(1),
            guidance: Some("go on".into()),
            memory: "known".into(),
            left: Ceiling::NONE,
            notice: "".into(),
        };
        let template = Template::new(&names.join("|"));
        assert_eq!(template.render(&values), "g|out|judged|2|137|1|go on|known|unlimited|unlimited");
        values.left.time = Some(Duration::from_millis(59_900));
        values.left.cost = Some(Usd::micros(1_250_000));
        assert!(template.render(&values).ends_with("|59|1.25"));
        assert!(template.unknown().is_empty());
    }

    #[test]
    fn in_the_first_iteration_the_past_is_empty() {
        let template =
            Template::new("[{prior_output}{evaluator_output}{agent_exit_code}{evaluator_exit_code}]");
        assert_eq!(template.render(&PromptValues::default()), "[]");
    }

    #[test]
    fn an_unknown_name_stays_and_is_told() {
        let text = r#"{priorOutput} {xyzzy} {"a": 1} {} { goal } ${HOME} {a b}"#;
        let template = Template::new(text);
        assert_eq!(template.render(&PromptValues::default()), text);
        let told: Vec<_> = template.unknown().iter().map(|u| (u.name.as_str(), u.offset)).collect();
        assert_eq!(told, [("priorOutput", 0), ("xyzzy", 14)]);
    }

    #[test]
    fn a_note_is_never_lost() {
        let values = PromptValues { guidance: Some("be {goal}".into()), ..PromptValues::default() };
        assert_eq!(Template::new("<{guidance}>").render(&values), "<be {goal}>");
        let appended = Template::new("work\n").render(&values);
        assert_eq!(appended, format!("work\n\n{GUIDANCE_HEADING}\nbe {{goal}}\n"));
        let values = PromptValues { notice: "{goal} was cut".into(), ..values };
        assert_eq!(Template::new("<{guidance}>\n").render(&values), "<be {goal}>\n\n{goal} was cut\n");
        assert_eq!(Template::new("work").render(&values), appended + "\n{goal} was cut\n");
    }
}
