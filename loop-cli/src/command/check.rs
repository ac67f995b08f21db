//! `loop check`: validates a manifest, and describes what it does.

use std::{env, path::Path, process::ExitCode};

use super::{
    Failure, environment, plan_and_warnings,
    run_lifecycle::{preflight, run_spec},
};
use crate::{args::CheckArgs, exit, persistence, view};
use loop_manifest::{Format, LoadedPlan, Plan, describe, withheld};

pub(crate) fn exec(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let dir = environment::dir(args.cwd.as_deref())?;
    let (source, path) = run_spec::requested("loop check", args.manifest.as_deref(), &args.overrides, &dir)?;
    let found = Plan::of(source);
    let is_unfinished = found.as_ref().is_ok_and(|found| found.warnings.unfinished().is_some());
    // An incomplete manifest cannot be tried.
    let (plan, warnings) =
        plan_and_warnings(if args.run { found.and_then(LoadedPlan::finished) } else { found })?;
    let vars: Vec<_> = env::vars_os().collect();
    // The check sees the variables set for it, and may print them.
    view::set_redactor(persistence::redactor(plan.named_values(), &vars));
    if let Some(unused) = run_spec::unused(path.as_deref(), "loop check") {
        view::say(&unused);
    }
    if !warnings.is_empty() {
        view::say(&warnings);
    }
    view::print_or_warn(&(describe(&plan) + &withheld(&plan, &vars, path.as_deref().and_then(Format::of))));
    if !args.run {
        let here = Path::new("");
        plan.missing_programs(here, &vars).iter().for_each(|missing| view::warning(missing));
        preflight::check_models(&plan, here, &vars);
        return Ok(ExitCode::from(if is_unfinished { exit::UNFINISHED } else { exit::OK }));
    }
    view::print_or_warn("");
    let cx = environment::execution_context(dir, environment::new_run_id())?;
    environment::block_on(environment::unless_signalled(async {
        preflight::try_evaluator(&plan, &cx).await.map(drop)
    }))
}
