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

/// Words for flags, and the flags that do this here, in the order of preference. A flag counts only where it exists.
const FLAGS: &[(&[&str], &[&str])] = &[
    (
        &["--max-iterations", "--iterations", "--max-loops", "--max-turns", "--times", "--repeat", "--max"],
        &["--max", "--count", "--add-iterations"],
    ),
    (
        &["--budget", "--max-budget", "--max-budget-usd", "--max-cost-usd", "--cost", "--max-cost"],
        &["--max-cost", "--add-cost"],
    ),
    (
        &[
            "--timeout",
            "--time",
            "--time-limit",
            "--max-seconds",
            "--max-duration",
            "--duration",
            "--max-time",
        ],
        &["--max-time", "--for", "--add-seconds"],
    ),
    (&["--tokens", "--max-tokens"], &["--add-tokens"]),
    (&["--command", "--cmd"], &["--agent"]),
    (&["--test", "--verify"], &["--check"]),
    (&["--dir", "--directory", "--folder"], &["--cwd"]),
    (&["--interval"], &["--every"]),
    (&["--in"], &["--at"]),
    (&["--timezone", "--zone"], &["--tz"]),
];

/// Returns the flag of this command that does what `written`, a flag of other programs, does there.
pub(super) fn known_flag(written: &str, command: &clap::Command) -> Option<&'static str> {
    let has = |flag: &&str| command.get_arguments().any(|arg| arg.get_long() == flag.strip_prefix("--"));
    let (_, flags) = FLAGS.iter().find(|(words, _)| words.contains(&written))?;
    flags.iter().copied().find(has)
}

/// Suggests a flag where the user wrote one of other programs.
pub(crate) fn suggest_flag(error: &mut clap::Error, args: impl IntoIterator<Item = String>) {
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else { return };
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let mut cli = Cli::command();
    cli.build();
    let mut command = &cli;
    for word in args.into_iter().skip(1) {
        command = command.find_subcommand(&word).unwrap_or(command);
    }
    if let Some(flag) = known_flag(written.split('=').next().unwrap_or_default(), command) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(flag.to_owned()));
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

    #[test]
    fn every_flag_of_the_table_exists() {
        let mut cli = Cli::command();
        cli.build();
        let below = |command: &clap::Command| command.get_subcommands().cloned().collect::<Vec<_>>();
        let commands: Vec<_> =
            below(&cli).iter().flat_map(|command| [below(command), vec![command.clone()]].concat()).collect();
        for flag in FLAGS.iter().flat_map(|(_, flags)| *flags) {
            let has = |command: &clap::Command| {
                command.get_arguments().any(|arg| arg.get_long() == Some(&flag[2..]))
            };
            assert!(commands.iter().any(has), "{flag}");
        }
    }

    #[test]
    fn a_flag_of_another_program_leads_to_ours() {
        use clap::Parser as _;
        for (line, flag) in [
            ("loop run --max-iterations 3 a.yaml", "'--max'"),
            ("loop run --iterations=3 a.yaml", "'--max'"),
            ("loop run --budget 3 a.yaml", "'--max-cost'"),
            ("loop run --timeout 3 a.yaml", "'--max-time'"),
            ("loop resume --max-iterations 3", "'--add-iterations'"),
            ("loop every 5m --timeout 3m look", "'--for'"),
        ] {
            let args: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let Err(mut error) = Cli::try_parse_from(&args) else { panic!("{line} is accepted") };
            suggest_flag(&mut error, args);
            assert!(error.to_string().contains(flag), "{line}: {error}");
        }
    }
}
