//! The description of a command.

use std::fmt;

use loop_telemetry::words::{
    plain_line,
    style::{BOLD, paint},
};

use super::CommandGroup;
use crate::error::InputError;

/// The description of a command. Help, completion and the guide use it.
#[derive(Debug)]
pub struct CommandInfo {
    /// The group under which help lists it.
    pub group: CommandGroup,
    /// Its name, without the `/`.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The arguments, as in a synopsis; empty if there are none.
    pub arguments: &'static str,
    /// One line that says what the command does.
    pub summary: &'static str,
    /// Further help, in Markdown.
    pub help: &'static str,
    /// The kind of arguments, for Tab completion.
    pub argument_kind: ArgumentKind,
}

/// The arguments of a command, for completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// No arguments.
    Nothing,
    /// Arguments that cannot be completed.
    Other,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A command, with its arguments.
    Commands,
    /// The name of a model.
    Models,
    /// Files and folders, or words that can name them.
    Paths,
}

impl CommandInfo {
    /// Returns its name and its other names.
    pub fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// Returns `/name ARGUMENTS`.
    pub fn synopsis(&self) -> String {
        format!("/{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    /// Returns the other names, in words.
    pub(crate) fn also(&self) -> Option<String> {
        let names: Vec<_> = self.aliases.iter().map(|name| format!("/{name}")).collect();
        (!names.is_empty()).then(|| format!("Also: {}", names.join(", ")))
    }

    /// Returns the whole help text of the command.
    pub(crate) fn text(&self) -> String {
        let parts = [
            Some(paint(BOLD, self.synopsis())),
            Some(format!("  {}", self.summary)),
            self.also(),
            Some(self.help.to_owned()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    /// Splits the arguments into words, as a shell does.
    ///
    /// # Errors
    /// A quote is not closed.
    pub fn words(&self, arguments: &str) -> Result<Vec<String>, InputError> {
        shlex::split(arguments).ok_or_else(|| self.misused("a quote is not closed"))
    }

    /// Checks that a command without arguments got none.
    ///
    /// # Errors
    /// The command takes no arguments, and there are some. Ignoring them would do less than the person meant.
    pub(crate) fn accepts(&self, arguments: &str) -> Result<(), InputError> {
        if self.argument_kind == ArgumentKind::Nothing && !arguments.is_empty() {
            let what = plain_line(arguments);
            return Err(self.misused(format!("/{} takes no arguments, but got `{what}`", self.name)));
        }
        Ok(())
    }

    /// Returns the error for wrong arguments, which includes the usage.
    pub fn misused(&self, problem: impl fmt::Display) -> InputError {
        InputError::Misused { problem: problem.to_string(), usage: self.synopsis() }
    }
}
