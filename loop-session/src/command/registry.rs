//! The commands that a session knows.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use loop_manifest::closest;

use super::{CommandGroup, CommandInfo, RepeatEffect};
use crate::{
    Session, UserInput,
    error::{InputError, UnknownCommand},
};

/// A command that a person gives to a session: `/name arguments`.
///
/// A command reaches the person only through [`Session::say`]. So a command that repeats at night cannot ask anybody
/// anything.
#[async_trait]
pub trait Command: Send + Sync {
    /// Returns the description of the command.
    fn info(&self) -> &'static CommandInfo;

    /// Returns the effect of repeating the command with these arguments. Default: each repeat does the same.
    fn repeat_effect(&self, _arguments: &str) -> RepeatEffect {
        RepeatEffect::Same
    }

    /// Returns whether the command may change files of the folder, so that the session captures them first. Default: no.
    fn changes_files(&self) -> bool {
        false
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Returns the reason why the command did not run, or [`InputError::Interrupted`].
    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError>;
}

/// The commands that a session knows. Help lists those of a group in this order. Clones share the commands.
#[derive(Clone)]
pub struct Commands(Vec<Arc<dyn Command>>);

impl Commands {
    /// Returns an empty set of commands.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a command.
    #[must_use]
    pub fn with(mut self, command: impl Command + 'static) -> Self {
        self.0.push(Arc::new(command));
        self
    }

    /// Returns all commands.
    pub fn all(&self) -> impl Iterator<Item = &dyn Command> {
        self.0.iter().map(|command| &**command)
    }

    /// Returns the groups that have commands, each with its commands, in the order in which help lists them.
    pub fn groups(&self) -> impl Iterator<Item = (CommandGroup, Vec<&dyn Command>)> {
        let of = |group| self.all().filter(|command| command.info().group == group).collect::<Vec<_>>();
        CommandGroup::ALL
            .map(|group| (group, of(group)))
            .into_iter()
            .filter(|(_, commands)| !commands.is_empty())
    }

    /// Returns the primary names of all commands, without aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all().map(|command| command.info().name)
    }

    /// Returns the command with this name or alias, ignoring case.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Command>> {
        let name = name.to_lowercase();
        let found = self.0.iter().find(|command| command.info().names().any(|own| own == name));
        found.cloned()
    }

    /// Returns the command of this name.
    ///
    /// # Errors
    /// No command has this name.
    pub(crate) fn known(&self, name: &str) -> Result<Arc<dyn Command>, UnknownCommand> {
        self.find(name).ok_or_else(|| {
            let names = self.all().flat_map(|command| command.info().names());
            // A word of one letter is close to every other word.
            let meant = closest(&name.to_lowercase(), names, |name| name);
            let meant = meant.filter(|_| name.chars().nth(1).is_some());
            UnknownCommand { written: name.to_owned(), meant }
        })
    }

    /// Returns the command of this name, if it takes these arguments.
    ///
    /// # Errors
    /// No command has the name, or it takes no arguments.
    pub(crate) fn resolve(&self, name: &str, arguments: &str) -> Result<Arc<dyn Command>, InputError> {
        let command = self.known(name)?;
        command.info().accepts(arguments)?;
        Ok(command)
    }

    /// Returns the effect of repeating a line.
    pub fn repeat_effect(&self, line: &str) -> RepeatEffect {
        match UserInput::of(line) {
            UserInput::Command { name, arguments } => {
                // A line that is refused changes nothing.
                self.resolve(name, arguments)
                    .map_or(RepeatEffect::Same, |command| command.repeat_effect(arguments))
            }
            _ => RepeatEffect::Same,
        }
    }
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::ArgumentKind;
    use crate::test_cases;

    fn unknown(name: &str) -> String {
        Commands::standard().known(name).err().expect(name).to_string()
    }

    #[test]
    fn each_name_is_one_command() {
        let mut names = HashSet::new();
        let all = Commands::standard();
        for name in all.all().flat_map(|command| command.info().names()) {
            assert!(names.insert(name), "{name}");
            assert!(all.find(&name.to_uppercase()).is_some());
        }
    }

    #[test]
    fn each_command_is_in_one_group() {
        let all = Commands::standard();
        let grouped: Vec<_> = all.groups().flat_map(|(_, commands)| commands).collect();
        let names: Vec<_> = grouped.iter().map(|command| command.info().name).collect();
        assert_eq!(names, all.names().collect::<Vec<_>>());
        assert!(grouped.iter().all(|command| command.info().group != CommandGroup::Other));
    }

    #[test]
    fn an_unknown_command_says_where_to_find_the_others_and_what_may_be_meant() {
        // Advice once named this command although it does not exist.
        for (input, _) in test_cases::of("unknownCommand") {
            let name = input.as_str().unwrap().trim_start_matches('/').split(' ').next().unwrap();
            assert!(Commands::standard().find(name).is_some(), "{name}");
        }
        assert_eq!(unknown("hlep"), "there is no command /hlep (did you mean /help?); /help lists commands");
        assert_eq!(unknown("zzzzz"), "there is no command /zzzzz; /help lists commands");
        assert_eq!(unknown("x"), "there is no command /x; /help lists commands");
    }

    #[test]
    fn a_command_that_takes_nothing_is_not_done_with_something() {
        let all = Commands::standard();
        let commands = || all.all().filter(|command| command.info().argument_kind == ArgumentKind::Nothing);
        for info in commands().map(Command::info) {
            assert_eq!(info.arguments, "", "{}", info.name);
            let error = all.resolve(info.name, "x y").err().expect(info.name).to_string();
            let (name, usage) = (info.name, info.synopsis());
            assert_eq!(error, format!("/{name} takes no arguments, but got `x y`\n  usage: {usage}"));
            assert!(all.resolve(info.name, "").is_ok());
        }
        let names: Vec<_> = commands().map(|command| command.info().name).collect();
        assert_eq!(
            names,
            ["status", "cost", "hint", "exit", "clear", "summarize", "undo", "redo", "models", "security"]
        );
    }
}
