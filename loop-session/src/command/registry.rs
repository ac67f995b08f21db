//! The commands that a session knows.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use loop_manifest::closest;

use super::{about::About, repeated::Repeated};
use crate::{
    Input, Session,
    error::{InputError, UnknownCommand},
};

/// A command that a person gives a session: `/name arguments`.
///
/// A command has no way to a person but what it [says](Session::say). So a command that is repeated at night asks nobody
/// anything.
#[async_trait]
pub trait Command: Send + Sync {
    /// Returns the description of the command.
    fn about(&self) -> &'static About;

    /// Returns what comes of repeating the command with these arguments. Default: the same each time.
    fn repeated(&self, _arguments: &str) -> Repeated {
        Repeated::Same
    }

    /// Carries out the command.
    ///
    /// # Errors
    /// The reason why it was not carried out, or [`InputError::Interrupted`].
    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError>;
}

/// The commands that a session knows, in the order in which help lists them. Clones share the commands.
#[derive(Clone)]
pub struct Commands(Vec<Arc<dyn Command>>);

impl Commands {
    /// Returns no commands.
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

    /// Returns the names of all commands; other names are not among them.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all().map(|command| command.about().name)
    }

    /// Returns the command that has this name, or this other name. Upper and lower case are the same.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Command>> {
        let name = name.to_lowercase();
        let found = self.0.iter().find(|command| command.about().names().any(|own| own == name));
        found.cloned()
    }

    /// Returns the command of this name.
    ///
    /// # Errors
    /// No command has it.
    pub(crate) fn known(&self, name: &str) -> Result<Arc<dyn Command>, UnknownCommand> {
        self.find(name).ok_or_else(|| {
            let names = self.all().flat_map(|command| command.about().names());
            // Every word of one letter is near to all others.
            let meant = closest(&name.to_lowercase(), names, |name| name);
            let meant = meant.filter(|_| name.chars().nth(1).is_some());
            UnknownCommand { written: name.to_owned(), meant }
        })
    }

    /// Returns the command of this name, if it takes these arguments.
    ///
    /// # Errors
    /// No command has the name, or it takes no arguments.
    pub(crate) fn meant(&self, name: &str, arguments: &str) -> Result<Arc<dyn Command>, InputError> {
        let command = self.known(name)?;
        command.about().accepts(arguments)?;
        Ok(command)
    }

    /// Returns what comes of repeating a line.
    pub fn repeated(&self, line: &str) -> Repeated {
        match Input::of(line) {
            Input::Command { name, arguments } => {
                // A line that is refused changes nothing.
                self.meant(name, arguments).map_or(Repeated::Same, |command| command.repeated(arguments))
            }
            _ => Repeated::Same,
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
    use crate::Takes;
    use crate::cases;

    fn unknown(name: &str) -> String {
        Commands::standard().known(name).err().expect(name).to_string()
    }

    #[test]
    fn each_name_is_one_command() {
        let mut names = HashSet::new();
        let all = Commands::standard();
        for name in all.all().flat_map(|command| command.about().names()) {
            assert!(names.insert(name), "{name}");
            assert!(all.find(&name.to_uppercase()).is_some());
        }
    }

    #[test]
    fn an_unknown_command_says_where_to_find_the_others_and_what_may_be_meant() {
        // That one was told of in advice, and was not there.
        for (input, _) in cases::of("unknownCommand") {
            let name = input.as_str().unwrap().trim_start_matches('/').split(' ').next().unwrap();
            assert!(Commands::standard().find(name).is_some(), "{name}");
        }
        assert_eq!(
            unknown("hlep"),
            "there is no command /hlep (did you mean /help?); /help lists what there is"
        );
        assert_eq!(unknown("zzzzz"), "there is no command /zzzzz; /help lists what there is");
        assert_eq!(unknown("x"), "there is no command /x; /help lists what there is");
    }

    #[test]
    fn a_command_that_takes_nothing_is_not_done_with_something() {
        let all = Commands::standard();
        let commands = || all.all().filter(|command| command.about().takes == Takes::Nothing);
        for about in commands().map(Command::about) {
            assert_eq!(about.arguments, "", "{}", about.name);
            let error = all.meant(about.name, "x y").err().expect(about.name).to_string();
            let (name, usage) = (about.name, about.synopsis());
            assert_eq!(error, format!("/{name} takes nothing, and here is `x y`\n  usage: {usage}"));
            assert!(all.meant(about.name, "").is_ok());
        }
        let names: Vec<_> = commands().map(|command| command.about().name).collect();
        assert_eq!(names, ["status", "clear", "summarize", "security", "exit"]);
    }
}
