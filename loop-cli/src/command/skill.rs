//! `loop skill`: lists, shows and checks skills.

use std::{path::Path, process::ExitCode};

use loop_agents::skills::{Skills, checked};
use loop_guardrails::policy::workspace::Workspace;
use loop_manifest::skills::find;
use loop_session::skills;

use super::{Failure, OrFail, environment, runs::json, usage};
use crate::{
    args::SkillCommand,
    exit,
    view::{self, text},
};

pub(crate) fn exec(command: &SkillCommand) -> Result<ExitCode, Failure> {
    let found = found()?;
    let mut code = exit::OK;
    match command {
        SkillCommand::List { json: true } => {
            for skill in found.all() {
                view::print_json_or_warn(&json(skill));
            }
        }
        SkillCommand::List { .. } => drop(view::print_or_warn(&text::printable(&skills::list(&found)))),
        SkillCommand::Show { name, json: is_json } => {
            let skill = found.find(name);
            let skill =
                skill.ok_or_else(|| usage!("there is no skill `{name}`: `loop skill list` lists them"))?;
            let page = skills::page(skill, &found).or_setup(|| "the skill cannot be shown")?;
            let page = text::printable(&page);
            if *is_json {
                view::print_json_or_warn(&json(skill))
            } else {
                view::print_or_warn(&page)
            };
        }
        SkillCommand::Check { folders, strict, json: is_json } => {
            for check in checked(&found, folders, *strict) {
                let line = text::printable(&check.to_string());
                if *is_json {
                    view::print_json_or_warn(&json(&check))
                } else {
                    view::print_or_warn(&line)
                };
                code = code.max(u8::from(!check.problems.is_empty()));
            }
            return Ok(ExitCode::from(code));
        }
    }
    found.warnings().iter().for_each(|warning| view::warning(&warning.to_string()));
    Ok(ExitCode::from(code))
}

fn found() -> Result<Skills, Failure> {
    let settings = environment::settings(Path::new(""))?;
    let workspace = Workspace::open(environment::dir(None)?, settings.policy())?;
    find(&settings, &workspace).or_setup(|| "the skills cannot be read")
}
