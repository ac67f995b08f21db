//! `/help`: what can be done.

use async_trait::async_trait;

use super::{About, Command, Takes};
use loop_telemetry::words::style::{DIM, paint};

use crate::{Commands, InputError, Session};

pub(crate) struct Help;

const ABOUT: About = About {
    name: "help",
    aliases: &["?"],
    arguments: "[COMMAND]",
    summary: "What can be done, or what a command does",
    help: "",
    takes: Takes::Commands,
};

#[async_trait]
impl Command for Help {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let text = match arguments.trim_start_matches('/') {
            "" => list(session.commands()),
            name => session.commands().known(name)?.about().text(),
        };
        session.say(&text);
        Ok(())
    }
}

/// Signs that are no command, and keys.
pub(crate) const OTHERS: [(&str, &str); 6] = [
    ("TEXT", "is said to the model"),
    ("!COMMAND", "runs a command, and the model knows what it printed"),
    ("@MODEL TEXT", "asks another model this once"),
    ("Alt+Enter", "goes on in the next line, as \\ does at the end"),
    ("Ctrl+C", "ends the turn, the command or the loop; the session goes on"),
    ("Ctrl+D", "leaves"),
];

fn list(commands: &Commands) -> String {
    let commands =
        commands.all().map(|command| (format!("/{}", command.about().name), command.about().summary));
    let rows: Vec<_> = commands.chain(OTHERS.map(|(what, does)| (what.to_owned(), does))).collect();
    let wide = rows.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
    let lines: Vec<_> =
        rows.iter().map(|(what, does)| format!("  {what:wide$}  {}", paint(DIM, does))).collect();
    format!("{}\n/help COMMAND says more", lines.join("\n"))
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
