//! `loop check`: validates a manifest, and describes what it does.

use std::{env, path::Path, process::ExitCode};

use super::{Failure, here, reported, setting, trial};
use crate::{args::CheckArgs, exit, keeping, view};
use loop_manifest::{Format, Loaded, Plan, describe, withheld};

pub(crate) fn exec(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let manifest = args.manifest.clone().map_or_else(|| here::manifest("loop check"), Ok)?;
    let found = Plan::load(&manifest);
    // An incomplete manifest cannot be tried.
    let (plan, warnings) = reported(if args.run { found.and_then(Loaded::finished) } else { found })?;
    let vars: Vec<_> = env::vars_os().collect();
    // The check sees the variables set for it, and may print them.
    view::conceal(keeping::redactor(&plan.agent.env.set, &vars));
    if !warnings.is_empty() {
        view::say(&warnings);
    }
    view::tell(&(describe(&plan) + &withheld(&plan, &vars, Format::of(&manifest))));
    if !args.run {
        let here = Path::new("");
        trial::look_for_agent(&plan, here, &vars);
        if let Some(check) = &plan.evaluator.command {
            trial::look_for("check", check, &plan, here, &vars);
        }
        trial::look_for_reviewer(&plan, here, &vars);
        trial::look_for_models(&plan, here, &vars);
        return Ok(ExitCode::from(exit::OK));
    }
    view::tell("");
    let place = setting::place(setting::dir(args.cwd.as_deref())?, setting::new_run())?;
    setting::block_on(setting::unless_signalled(trial::exec(&plan, &place)))
}
