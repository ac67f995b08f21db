//! `loop skill new`: writes a skill.

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
};

use loop_agents::skills::NewSkill;

use super::{
    super::{Failure, OrFail, runs::json, usage},
    found,
};
use crate::{args::NewSkillArgs, exit, view};

pub(super) fn exec(args: &NewSkillArgs) -> Result<ExitCode, Failure> {
    let (_, workspace) = found()?;
    let is_asked = args.description.is_none() || args.name.is_none();
    let field = |given: &Option<String>, question: &str| match given {
        Some(text) => Ok(text.clone()),
        None if is_asked => ask(question),
        None => Ok(String::new()),
    };
    if is_asked && !io::stdin().is_terminal() {
        return Err(usage!("nobody can be asked: write `loop skill new NAME --description TEXT`"));
    }
    let name = field(&args.name, "name (lower-case letters, digits and `-`)")?;
    let description = field(&args.description, "description (what it does and when to use it)")?;
    let trigger = field(&args.trigger, "trigger (words of prompts, or empty)")?;
    let compatibility = field(&args.compatibility, "compatibility (what it needs, or empty)")?;
    let skill =
        NewSkill::new(&name, &description, &trigger, &compatibility).or_usage(|| "cannot write the skill")?;
    let path = skill.write(&workspace).or_usage(|| "cannot write the skill")?;
    if args.json {
        let (found, _) = found()?;
        found.find(&name).map(|skill| view::print_json_or_warn(&json(skill)));
    }
    view::say(&format!("{} {path}: add the instructions to it", view::paint(view::GOOD, "wrote")));
    Ok(ExitCode::from(exit::OK))
}

fn ask(question: &str) -> Result<String, Failure> {
    view::say(&format!("{question}:"));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).or_setup(|| "the answer cannot be read")?;
    Ok(answer.trim().to_owned())
}
