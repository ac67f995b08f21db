//! The commands of a session, one file each.
//!
//! A command is described once, in its [`About`]; help, completion and the guide's page are made of that. A
//! command has no way to a person but what it says: there is no editor in its reach. So a command that is repeated at
//! night asks nobody anything.

mod about;
mod attach;
mod audit;
mod clear;
mod context;
mod every;
mod exit;
mod file_tree;
mod files;
mod folder;
mod git;
mod help;
mod looping;
mod model;
#[cfg(test)]
mod page;
mod permissions;
mod read;
mod read_dir;
mod rename;
mod repeated;
mod run;
mod safemode;
mod schedule;
mod search;
mod security;
mod session;
mod status;
mod summarize;
mod tools;
mod write;

use async_trait::async_trait;

pub(crate) use self::{
    about::{About, Takes},
    looping::is_loop,
    repeated::Repeated,
};
use super::Session;
use loop_manifest::closest;

/// Something that a person can tell a session to do.
#[async_trait]
pub(crate) trait Command: Sync {
    /// What it is called, what it takes, and what it does.
    fn about(&self) -> &'static About;

    /// What comes of doing it again and again, with these arguments.
    fn repeated(&self, _arguments: &str) -> Repeated {
        Repeated::Same
    }

    /// Does it.
    ///
    /// # Errors
    /// What went wrong, in words for the person; [`Interrupted`](super::Interrupted) if they ended it.
    async fn run(&self, arguments: &str, session: &mut Session) -> anyhow::Result<()>;
}

/// All of them, in the order in which help lists them.
static COMMANDS: [&dyn Command; 26] = [
    &help::Help,
    &status::Status,
    &looping::Loop,
    &every::Every,
    &schedule::Schedule,
    &clear::Clear,
    &summarize::Summarize,
    &context::Context,
    &read::Read,
    &read_dir::ReadDir,
    &attach::Attach,
    &write::Write,
    &files::Files,
    &file_tree::FileTree,
    &search::Search,
    &run::Run,
    &git::Git,
    &model::Model,
    &tools::Tools,
    &safemode::SafeMode,
    &permissions::Permissions,
    &security::Security,
    &audit::Audit,
    &session::Session,
    &rename::Rename,
    &exit::Exit,
];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Command> {
    COMMANDS.into_iter()
}

/// Their names, in the order in which help lists them; other names are not among them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|command| command.about().name)
}

/// The command that has this name, or this other name.
pub(crate) fn find(name: &str) -> Option<&'static dyn Command> {
    let name = name.to_lowercase();
    all().find(|command| command.about().names().any(|own| own == name))
}

/// The command of this name, if that and what stands behind it make sense.
///
/// # Errors
/// A name that is nobody's, and arguments where none are taken.
pub(crate) fn meant(name: &str, arguments: &str) -> anyhow::Result<&'static dyn Command> {
    let command = find(name).ok_or_else(|| Unknown::new(name))?;
    command.about().accepts(arguments)?;
    Ok(command)
}

/// A name that is nobody's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no command /{written}{}; /help lists what there is", meant.map(|meant| format!(" (did you mean /{meant}?)")).unwrap_or_default())]
pub(crate) struct Unknown {
    written: String,
    meant: Option<&'static str>,
}

impl Unknown {
    pub(crate) fn new(written: &str) -> Self {
        let names = all().flat_map(|command| command.about().names());
        Self {
            written: written.to_owned(),
            // Every word of one letter is near to all others.
            meant: closest(&written.to_lowercase(), names, |name| name)
                .filter(|_| written.chars().nth(1).is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::session::cases;

    #[test]
    fn each_name_is_one_command() {
        let mut names = HashSet::new();
        for name in all().flat_map(|command| command.about().names()) {
            assert!(names.insert(name), "{name}");
            assert!(find(&name.to_uppercase()).is_some());
        }
    }

    #[test]
    fn an_unknown_command_says_where_to_find_the_others_and_what_may_be_meant() {
        // That one was told of in advice, and was not there.
        for (input, _) in cases::of("unknownCommand") {
            let name = input.as_str().unwrap().trim_start_matches('/').split(' ').next().unwrap();
            assert!(find(name).is_some(), "{name}");
        }
        assert_eq!(
            Unknown::new("hlep").to_string(),
            "there is no command /hlep (did you mean /help?); /help lists what there is"
        );
        assert_eq!(
            Unknown::new("zzzzz").to_string(),
            "there is no command /zzzzz; /help lists what there is"
        );
        assert_eq!(Unknown::new("x").to_string(), "there is no command /x; /help lists what there is");
    }

    #[test]
    fn a_command_that_takes_nothing_is_not_done_with_something() {
        let commands = || all().filter(|command| command.about().takes == Takes::Nothing);
        for about in commands().map(Command::about) {
            assert_eq!(about.arguments, "", "{}", about.name);
            let error = meant(about.name, "x y").err().expect(about.name).to_string();
            let (name, usage) = (about.name, about.synopsis());
            assert_eq!(error, format!("/{name} takes nothing, and here is `x y`\n  usage: {usage}"));
            assert!(meant(about.name, "").is_ok());
        }
        let names: Vec<_> = commands().map(|command| command.about().name).collect();
        assert_eq!(names, ["status", "clear", "summarize", "security", "exit"]);
    }
}
