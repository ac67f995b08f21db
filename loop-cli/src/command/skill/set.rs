//! `loop skill-set`: lists, shows and writes sets of skills.

use std::process::ExitCode;

use loop_session::skills;

use super::super::{Failure, OrFail, runs::json, usage};
use crate::{
    args::SkillSetCommand,
    exit,
    view::{self, text},
};

pub(in crate::command) fn exec(command: &SkillSetCommand) -> Result<ExitCode, Failure> {
    let (mut found, workspace) = super::found()?;
    match command {
        SkillSetCommand::List { json: true } => {
            for set in found.sets() {
                view::print_json_or_warn(&json(set));
            }
        }
        SkillSetCommand::List { .. } => {
            view::print_or_warn(&text::printable(&skills::list_of_sets(&found)));
        }
        SkillSetCommand::Info { name, json: is_json } => {
            let set = found.set(name);
            let set =
                set.ok_or_else(|| usage!("there is no set `{name}`: `loop skill-set list` lists them"))?;
            let page = text::printable(&skills::page_of_set(set));
            if *is_json {
                view::print_json_or_warn(&json(set))
            } else {
                view::print_or_warn(&page)
            };
        }
        SkillSetCommand::Create { name, skills: names, json: is_json } => {
            let done = skills::create_set(&found, name, names, &workspace);
            view::say(&text::printable(&done.or_usage(|| "cannot write the set")?));
            if *is_json {
                found = super::found()?.0;
                found.set(name).map(|set| view::print_json_or_warn(&json(set)));
            }
        }
    }
    Ok(ExitCode::from(exit::OK))
}
