//! `loop skill` and `loop skill-set`: list, show, check, write and run skills.

mod new;
mod session_line;
mod set;

use std::{env, path::Path, process::ExitCode};

use loop_agents::skills::{Skills, checked};
use loop_guardrails::policy::workspace::Workspace;
use loop_manifest::skills::find;
use loop_session::{AgreedScripts, skills};
use loop_telemetry::StateDir;

use super::{Failure, OrFail, environment, runs::json, usage};
use crate::{
    args::SkillCommand,
    exit,
    view::{self, text},
};

pub(super) use self::set::exec as exec_set;

pub(crate) fn exec(command: &SkillCommand) -> Result<ExitCode, Failure> {
    match command {
        SkillCommand::New(args) => return new::exec(args),
        SkillCommand::Run { name, text, model } => {
            return session_line::run(&format!("/skill run {name} {}", text.join(" ")), model.as_ref());
        }
        SkillCommand::Compile { name, model } => {
            return session_line::run(&format!("/skill compile {name}"), model.as_ref());
        }
        SkillCommand::Suggest { session, model } => {
            let session = session.clone().map_or_else(session_line::last_session, Ok)?;
            return session_line::run(&format!("/skill suggest {session}"), model.as_ref());
        }
        SkillCommand::Agreed { json: is_json } => return agreed(*is_json),
        SkillCommand::Withdraw { name } => return withdraw(name),
        SkillCommand::List { .. } | SkillCommand::Info { .. } | SkillCommand::Check { .. } => {}
    }
    let (found, _) = found()?;
    let mut code = exit::OK;
    match command {
        SkillCommand::List { json: true } => {
            for skill in found.all() {
                view::print_json_or_warn(&json(skill));
            }
        }
        SkillCommand::List { .. } => drop(view::print_or_warn(&text::printable(&skills::list(&found)))),
        SkillCommand::Info { name, json: is_json } => {
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
        _ => unreachable!("the other commands have returned"),
    }
    found.warnings().iter().for_each(|warning| view::warning(&warning.to_string()));
    Ok(ExitCode::from(code))
}

fn found() -> Result<(Skills, Workspace), Failure> {
    let settings = environment::settings(Path::new(""))?;
    let workspace = Workspace::open(environment::dir(None)?, settings.policy())?;
    let found = find(&settings, &workspace).or_setup(|| "the skills cannot be read")?;
    Ok((found, workspace))
}

fn agreed_scripts() -> Result<AgreedScripts, Failure> {
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    Ok(AgreedScripts::of(&state, &environment::dir(None)?)?)
}

fn agreed(is_json: bool) -> Result<ExitCode, Failure> {
    let scripts = agreed_scripts()?.all().or_setup(|| "the agreed scripts are not known")?;
    if scripts.is_empty() && !is_json {
        view::print_or_warn("you agreed to no script in this folder");
    }
    for script in scripts {
        if is_json {
            view::print_json_or_warn(&json(&script))
        } else {
            view::print_or_warn(&text::printable(&script.to_string()))
        };
    }
    Ok(ExitCode::from(exit::OK))
}

fn withdraw(name: &str) -> Result<ExitCode, Failure> {
    let withdrawn = agreed_scripts()?.withdraw(name).or_setup(|| "no yes was withdrawn")?;
    if withdrawn.is_empty() {
        return Err(usage!("you agreed to no script of `{name}`: `loop skill agreed` lists them"));
    }
    withdrawn.iter().for_each(|script| view::say(&format!("withdrawn: {script}")));
    Ok(ExitCode::from(exit::OK))
}
