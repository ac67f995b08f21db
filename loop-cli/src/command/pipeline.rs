//! `loop pipeline`: answer prompts in files, one after the other.

use std::{env, process::ExitCode};

use loop_manifest::Source;

use super::{
    Failure, OrFail,
    environment::{dir, model_name, settings},
    run,
    run_lifecycle::run_spec,
};
use crate::args::PipelineArgs;

pub(crate) fn exec(args: &PipelineArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.options.cwd.as_deref())?;
    let mut overrides = args.options.overrides.overrides("loop pipeline");
    if !overrides.has("--agent") && !overrides.has("--model") {
        let variables: Vec<_> = env::vars_os().collect();
        overrides = overrides.with("--model", &model_name(None, &settings(&dir)?, &variables)?);
    }
    if !overrides.has("--max") {
        let most = (args.files.len() as u64).saturating_mul(args.retries.saturating_add(1));
        overrides = overrides.with("--max", &most.to_string());
    }
    let files = serde_json::to_string(&args.files).or_internal("cannot write the list of files")?;
    let overrides = overrides
        .with("--files", &files)
        .with("--at-least", &args.percent.share().to_string())
        .with("--accept-guess", if args.accept_guess { "true" } else { "false" })
        .with("--retries", &args.retries.to_string());
    run::run((Source::of_flags(&run_spec::name(&dir), overrides), None), dir, &args.options)
}
