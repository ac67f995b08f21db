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
use crate::manifest::nearest;

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
            meant: nearest::closest(&written.to_lowercase(), names, |name| name),
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
    }
}
