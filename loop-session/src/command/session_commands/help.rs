//! `/help`: lists the commands.

use async_trait::async_trait;

use loop_telemetry::words::style::{BOLD, DIM, paint};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, Commands, InputError, Session};

pub(in crate::command) struct HelpCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "help",
    aliases: &["?"],
    arguments: "[COMMAND]",
    summary: "Show all commands, or explain one",
    help: "",
    argument_kind: ArgumentKind::Commands,
};

#[async_trait]
impl Command for HelpCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let text = match arguments.trim_start_matches('/') {
            "" => list(session.commands()),
            name => session.commands().known(name)?.info().text(),
        };
        session.say(&text);
        Ok(())
    }
}

/// Prefixes that are not commands, and keys.
pub(in crate::command) const PREFIXES_AND_KEYS: [(&str, &str); 7] = [
    ("TEXT", "talks to the model"),
    ("!COMMAND", "runs a command, and shows its output to the model"),
    ("@MODEL TEXT", "asks another model once"),
    ("Alt+Enter", "starts a new line; so does \\ at the end of a line"),
    ("Ctrl+C, Esc", "ends the turn, the command or the loop; the session goes on"),
    ("Ctrl+Z", "suspends the session; `fg` continues it"),
    ("Ctrl+D", "leaves the session"),
];

fn list(commands: &Commands) -> String {
    let slashed = |name: &str| format!("/{name}");
    let names = commands.names().map(slashed).chain(PREFIXES_AND_KEYS.map(|(what, _)| what.to_owned()));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let row = |what: &str, does: &str| format!("  {what:width$}  {}", paint(DIM, does));
    let mut lines = Vec::new();
    for (group, commands) in commands.groups() {
        lines.push(paint(BOLD, group.title()));
        lines.extend(commands.iter().map(|it| row(&slashed(it.info().name), it.info().summary)));
    }
    lines.push(paint(BOLD, "Other input"));
    lines.extend(PREFIXES_AND_KEYS.map(|(what, does)| row(what, does)));
    format!("{}\n/help COMMAND explains one", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_fits_a_small_terminal_line_by_line() {
        for line in list(&Commands::standard()).lines() {
            let line = loop_telemetry::words::plain(line);
            assert!(line.chars().count() < 80, "{line}");
        }
    }
}
