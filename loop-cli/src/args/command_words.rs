//! The words that other programs have for our commands.

use clap::{
    CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::Cli;
use loop_manifest::closest;

/// Words for commands, and the commands that do this here, in the order of preference. A command counts only where it
/// exists: `schedule` has its own `list`.
const WORDS: &[(&[&str], &[&str])] = &[
    (&["create", "new", "setup"], &["init", "add"]),
    (&["exec", "execute", "go", "start"], &["run"]),
    (&["lint", "test", "try", "validate", "verify"], &["check"]),
    (&["history", "list", "log", "ls", "ps", "stat", "status"], &["runs", "list"]),
    (&["cat", "details", "explain", "get", "info", "inspect", "view"], &["show", "explain"]),
    (&["attach", "follow", "logs", "watch"], &["tail"]),
    (&["clean", "del", "delete", "prune", "purge", "remove", "rm"], &["rm", "delete"]),
    (&["continue", "retry", "unpause"], &["resume"]),
    (&["loop", "repeat"], &["every"]),
    (&["ask", "prompt", "repl", "session"], &["chat"]),
    (&["cron", "job", "jobs", "timer"], &["schedule"]),
    (&["disable", "stop"], &["pause", "off"]),
    (&["trigger"], &["fire"]),
    (&["completion"], &["completions"]),
    (&["manual"], &["man"]),
];

/// Suggests a command where the user wrote a word of other programs, or nearly so.
pub(crate) fn suggest_command(error: &mut clap::Error, args: impl IntoIterator<Item = String>) {
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidSubcommand) else { return };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let mut cli = Cli::command();
    cli.build();
    let before: Vec<_> = args.into_iter().skip(1).take_while(|word| word != written).collect();
    let parent = before.iter().try_fold(&cli, |parent, word| parent.find_subcommand(word)).unwrap_or(&cli);
    let here = |commands: &[&'static str]| {
        commands.iter().copied().find(|command| parent.find_subcommand(command).is_some())
    };
    let known = WORDS.iter().flat_map(|(words, commands)| words.iter().map(|word| (*word, here(commands))));
    let known: Vec<_> = known.filter_map(|(word, command)| Some((word, command?))).collect();
    let exact = known.iter().find(|(word, _)| word == written);
    // The parser has its own suggestions for slips in the names of commands.
    let has_suggestion = error.get(ContextKind::SuggestedSubcommand).is_some();
    let near = || closest(written, &known, |(word, _)| word).filter(|_| !has_suggestion);
    if let Some((_, command)) = exact.or_else(near) {
        let commands = ContextValue::Strings(vec![(*command).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, commands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_table_exists() {
        let mut cli = Cli::command();
        cli.build();
        for command in WORDS.iter().flat_map(|(_, commands)| *commands) {
            let below = cli.get_subcommands().any(|parent| parent.find_subcommand(command).is_some());
            assert!(below || cli.find_subcommand(command).is_some(), "{command}");
        }
    }
}
