//! Placeholders in commands. They belong in the prompt: a command gets what is known in its environment, where no
//! text can be taken for a command.

use loop_agents::shell::Placeholder;

use super::super::{diagnostics::Diagnostic, field::At, raw::RawManifest, source};

pub(super) fn of(raw: &RawManifest, text: &str) -> Vec<Diagnostic> {
    let written = raw.commands();
    written.flat_map(|command| in_command(command, text)).collect()
}

/// The placeholders of a command, each once.
fn in_command(command: &At<String>, text: &str) -> impl Iterator<Item = Diagnostic> {
    Placeholder::ALL.into_iter().filter_map(move |placeholder| {
        let written = format!("{{{}}}", placeholder.name());
        // `${goal}` is a variable of the shell's.
        let mut places = command.value.match_indices(&written).enumerate();
        let (before, _) = places.find(|(_, (at, _))| !command.value[..*at].ends_with('$'))?;
        let place = source::find(text, &command.span, &written, before);
        let finding = Diagnostic::warning(format!("`{written}` is not filled in here"));
        let finding = finding.at(place, format!("`{}` runs with it as it is", command.key));
        Some(finding.help(match variable(placeholder) {
            Some(variable) => format!("write `\"${variable}\"`: a command has it in its environment"),
            None => "it belongs in `agent.prompt`; of a command only `{prompt}` is filled in".to_owned(),
        }))
    })
}

/// The environment variable that tells a command the same.
const fn variable(placeholder: Placeholder) -> Option<&'static str> {
    match placeholder {
        Placeholder::BudgetUsdLeft => Some("LOOP_BUDGET_USD_LEFT"),
        Placeholder::SecondsLeft => Some("LOOP_SECONDS_LEFT"),
        Placeholder::Iteration => Some("LOOP_ITERATION"),
        _ => None,
    }
}
