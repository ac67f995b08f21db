//! `loop plan`: make a plan, and perform its steps.

use std::{env, process::ExitCode};

use loop_agents::{
    plan::{PlanFile, PlanFileError, StepState},
    shell::CommandLine,
};
use loop_manifest::{Source, init::in_full, plan::AgentPlan, request_plan};

use super::{
    Failure, OrFail,
    environment::{
        agrees, block_on, dir, execution_context, model_name, new_run_id, settings, unless_signalled,
    },
    run,
    run_lifecycle::run_spec,
    usage,
};
use crate::{
    args::{PerformArgs, PlanArgs, PlanCommand},
    exit,
    view::{self, text},
};

pub(crate) fn exec(args: &PlanArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => make(args),
        Some(PlanCommand::Run(args)) => perform(args, PlanSteps::All),
        Some(PlanCommand::Next(args)) => perform(args, PlanSteps::Next),
        Some(PlanCommand::Status(place)) => {
            view::print_or_warn(&text::printable(&format!("{}\n", PlanFile::at(&place.file).read()?)));
            Ok(exit::OK.into())
        }
        Some(PlanCommand::Show(place)) => {
            view::print_or_warn(&text::printable(PlanFile::at(&place.file).read()?.text()));
            Ok(exit::OK.into())
        }
        Some(PlanCommand::Clear { yes, place }) => {
            let file = PlanFile::at(&place.file);
            if *yes || agrees(&format!("delete {}", place.file.display()))? {
                file.remove()?;
            }
            Ok(exit::OK.into())
        }
    }
}

/// Asks an agent for a plan, and stores it.
fn make(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let file = PlanFile::at(&args.place.file);
    if !args.force {
        refuse_to_replace(&file)?;
    }
    let cx = execution_context(dir(None)?, new_run_id())?;
    let agent = match &args.agent {
        Some(agent) => {
            AgentPlan::of_command(CommandLine::parse(in_full(agent)).or_usage(|| "cannot use --agent")?)
        }
        None => {
            let name = model_name(args.model.clone(), &settings(cx.folder())?, cx.variables())?;
            AgentPlan::of_model(name.parse().or_usage(|| "cannot use --model")?)
        }
    };
    let task = args.task.join(" ");
    block_on(unless_signalled(async {
        let (plan, _) = request_plan(&task, agent, &cx).await?;
        file.write(&plan)?;
        view::print_or_warn(&text::printable(plan.text()));
        view::say(&format!("stored in {}: `loop plan run` performs it", args.place.file.display()));
        Ok(())
    }))
}

/// Refuses a plan with open steps, and one that cannot be read.
fn refuse_to_replace(file: &PlanFile) -> Result<(), Failure> {
    let plan = match file.read() {
        Err(PlanFileError::Missing(_)) => return Ok(()),
        plan => plan?,
    };
    match plan.count(StepState::Open) {
        0 => Ok(()),
        open => Err(usage!(
            "the plan in {} has {open} open steps: perform them with `loop plan run`, or replace it with --force",
            file.path().display()
        )),
    }
}

/// Performs the open steps of a plan as a run: all of them, or the next one.
fn perform(args: &PerformArgs, steps: PlanSteps) -> Result<ExitCode, Failure> {
    let dir = dir(args.options.cwd.as_deref())?;
    let plan = PlanFile::at(dir.join(&args.file)).read()?;
    let (command, steps, open) = match steps {
        PlanSteps::All => ("loop plan run", "all", plan.count(StepState::Open).max(1) as u64),
        PlanSteps::Next => ("loop plan next", "next", 1),
    };
    let mut overrides = args.options.overrides.overrides(command);
    if !overrides.has("--agent") && !overrides.has("--model") {
        let variables: Vec<_> = env::vars_os().collect();
        overrides = overrides.with("--model", &model_name(None, &settings(&dir)?, &variables)?);
    }
    let most = open.saturating_mul(args.repairs.saturating_add(1)).to_string();
    for (flag, value) in [("--max", most.as_str()), ("--goal", plan.goal())] {
        if !overrides.has(flag) && !value.is_empty() {
            overrides = overrides.with(flag, value);
        }
    }
    if !overrides.has("--no-check-first") && !overrides.has("--check-first") {
        overrides = overrides.with_switch("--check-first");
    }
    let overrides = overrides
        .with("--file", &args.file.to_string_lossy())
        .with("--repairs", &args.repairs.to_string())
        .with("--keep-going", if args.keep_going { "true" } else { "false" })
        .with("--steps", steps);
    let source = Source::of_flags(&run_spec::name(&dir), overrides);
    run::run((source, None), dir, &args.options)
}

/// The steps to perform.
#[derive(Debug, Clone, Copy)]
enum PlanSteps {
    All,
    Next,
}
