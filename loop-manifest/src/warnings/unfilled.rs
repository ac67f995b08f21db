//! Warns about placeholders in commands. They belong in the prompt: a command receives the same data in its
//! environment, where no text can be mistaken for a command.

use loop_agents::shell::Placeholder;

use super::super::{diagnostics::Diagnostic, field::FieldValue, raw::RawManifest, source};

pub(super) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    let written = raw.commands();
    written.flat_map(|command| in_command(command, text)).collect()
}

/// Returns the placeholders of a command, each once.
fn in_command(command: &FieldValue<String>, text: &str) -> impl Iterator<Item = Diagnostic> {
    Placeholder::ALL.into_iter().filter_map(move |placeholder| {
        let written = format!("{{{}}}", placeholder.name());
        // `${goal}` is a shell variable.
        let mut places = command.value.match_indices(&written).enumerate();
        let (before, _) = places.find(|(_, (at, _))| !command.value[..*at].ends_with('$'))?;
        let place = source::find(text, &command.span, &written, before);
        let finding = Diagnostic::warning(format!("`{written}` is not filled in here"));
        let finding = finding.at(place, format!("`{}` runs with it as it is", command.key));
        Some(finding.help(match variable(placeholder) {
            Some(variable) => format!("write `\"${variable}\"`: a command has it in its environment"),
            None if placeholder == Placeholder::Memory => {
                "a command that is an agent gets the same text from `loop memory recall --for-run`".to_owned()
            }
            None => "it belongs in `agent.prompt`; in a command, only `{prompt}` is filled in".to_owned(),
        }))
    })
}

/// Returns the environment variable with the same data.
const fn variable(placeholder: Placeholder) -> Option<&'static str> {
    match placeholder {
        Placeholder::BudgetUsdLeft => Some("LOOP_BUDGET_USD_LEFT"),
        Placeholder::SecondsLeft => Some("LOOP_SECONDS_LEFT"),
        Placeholder::Iteration => Some("LOOP_ITERATION"),
        _ => None,
    }
}
