//! `loop skill-set`: lists, shows and writes sets of skills.

use std::process::ExitCode;

use loop_session::skills;

use super::{
    super::{Failure, OrFail, usage},
    found,
};
use crate::{
    args::SkillSetCommand,
    exit,
    view::{self, text},
};

pub(in crate::command) fn exec(command: &SkillSetCommand) -> Result<ExitCode, Failure> {
    let (found, workspace) = found()?;
    match command {
        SkillSetCommand::List => {
            view::print_or_warn(&text::printable(&skills::list_of_sets(&found)));
        }
        SkillSetCommand::Info { name } => {
            let set = found.set(name);
            let set =
                set.ok_or_else(|| usage!("there is no set `{name}`: `loop skill-set list` lists them"))?;
            view::print_or_warn(&text::printable(&skills::page_of_set(set)));
        }
        SkillSetCommand::Create { name, skills: names } => {
            let done = skills::create_set(&found, name, names, &workspace);
            view::say(&text::printable(&done.or_usage(|| "cannot write the set")?));
        }
    }
    Ok(ExitCode::from(exit::OK))
}
