//! `loop check`: validates a manifest, and describes what it does.

use std::{env, num::NonZeroU64, path::Path, process::ExitCode};

use super::{
    Failure, environment, plan_and_warnings,
    run_lifecycle::{preflight, run_spec},
    runs::json,
};
use crate::{args::CheckArgs, exit, persistence, view};
use loop_core::Usd;
use loop_manifest::{Format, LoadedPlan, Plan, describe, withheld};
use serde::Serialize;
use serde_json::{Map, Value};

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
    preflight::check_limits(&plan);
    if args.json {
        view::print_json(&json(&CheckJson::of(&plan, path.as_deref(), !is_unfinished)))?;
    } else {
        let withheld = withheld(&plan, &vars, path.as_deref().and_then(Format::of));
        view::print_or_warn(&(describe(&plan) + &withheld));
    }
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

/// The output of `loop check --json`: a valid manifest. A limit that it does not set is `null`.
#[derive(Debug, Serialize)]
struct CheckJson<'a> {
    name: &'a str,
    goal: &'a str,
    /// `null` if flags alone describe the loop.
    manifest: Option<&'a Path>,
    /// Whether all of its commands are written.
    is_complete: bool,
    max_iterations: u64,
    max_seconds: Option<f64>,
    max_cost_usd: Option<f64>,
    max_tokens: Option<u64>,
    /// The metadata of the manifest: `{}` without any.
    metadata: Value,
    /// The description for people.
    description: String,
}

impl<'a> CheckJson<'a> {
    fn of(plan: &'a Plan, manifest: Option<&'a Path>, is_complete: bool) -> Self {
        let limits = &plan.limits;
        Self {
            name: &plan.name,
            goal: plan.goal.trim(),
            manifest,
            is_complete,
            max_iterations: limits.max_iterations.get(),
            max_seconds: limits.max_time.map(|time| time.as_secs_f64()),
            max_cost_usd: limits.max_cost.map(Usd::as_f64),
            max_tokens: limits.max_tokens.map(NonZeroU64::get),
            metadata: plan.metadata.clone().unwrap_or_else(|| Value::Object(Map::new())),
            description: describe(plan),
        }
    }
}
