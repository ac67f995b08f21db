//! `loop plan`: make a plan, and perform its steps.

use std::{env, path::Path, process::ExitCode};

use loop_agents::{
    plan::{PLAN_FILE, PlanDocument, PlanFile, StepState},
    shell::CommandLine,
};
use loop_manifest::{Source, init::in_full, plan::AgentPlan, request_plan};
use serde_json::json;

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
    args::{PerformArgs, PlanArgs, PlanCommand, PlanViewArgs},
    exit,
    view::{self, text},
};

pub(crate) fn exec(args: &PlanArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        None => make(args),
        Some(PlanCommand::Run(args)) => perform(args, PlanSteps::All),
        Some(PlanCommand::Next(args)) => perform(args, PlanSteps::Next),
        Some(PlanCommand::Status(args)) => print(args, |plan| format!("{plan}\n"), false),
        Some(PlanCommand::Show(args)) => print(args, |plan| plan.text().to_owned(), true),
        Some(PlanCommand::Clear { yes, view }) => clear(*yes, view),
    }
}

/// Prints a plan as `words`, or as JSON.
fn print(
    args: &PlanViewArgs,
    words: impl Fn(&PlanDocument) -> String,
    has_steps: bool,
) -> Result<ExitCode, Failure> {
    let file = &args.place.file;
    let plan = PlanFile::at(file).read()?;
    match args.json {
        true => view::print_json_or_warn(&described(&plan, file, has_steps)),
        false => view::print_or_warn(&text::printable(&words(&plan))),
    };
    Ok(exit::OK.into())
}

fn clear(yes: bool, args: &PlanViewArgs) -> Result<ExitCode, Failure> {
    let path = &args.place.file;
    // The usual file may hold a plan that is damaged. Any other file has to be a plan.
    if path != Path::new(PLAN_FILE) {
        PlanFile::at(path).read()?;
    }
    let is_cleared = yes || agrees(&format!("delete {}", path.display()))?;
    if is_cleared {
        PlanFile::at(path).remove()?;
    }
    if args.json {
        view::print_json_or_warn(&json!({ "file": path, "deleted": is_cleared }).to_string());
    }
    Ok(exit::OK.into())
}

/// Describes a plan as JSON.
fn described(plan: &PlanDocument, file: &Path, has_steps: bool) -> String {
    let count = |state| plan.count(state);
    let step = |index: usize| {
        let step = &plan.steps()[index];
        let state = match step.state {
            StepState::Open => "open",
            StepState::Done => "done",
            StepState::Blocked => "blocked",
        };
        let validations: Vec<_> = step.validations.iter().map(ToString::to_string).collect();
        let (number, title, model, line) = (index + 1, &step.title, &step.model, step.line);
        json!({ "step": number, "title": title, "state": state, "model": model, "validations": validations,
                "line": line })
    };
    let mut object = json!({
        "file": file,
        "goal": plan.goal(),
        "done": count(StepState::Done),
        "blocked": count(StepState::Blocked),
        "open": count(StepState::Open),
        "next": plan.next().map(step),
    });
    if has_steps {
        object["steps"] = (0..plan.steps().len()).map(step).collect();
    }
    object.to_string()
}

/// Asks an agent for a plan, and stores it.
fn make(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let file = PlanFile::at(&args.place.file);
    let task = args.task.join(" ");
    if task.trim().is_empty() {
        return Err(usage!(
            "the task is empty: write what the plan is for, as in `loop plan \"Fix the parser\"`"
        ));
    }
    let check = || if args.force { Ok(()) } else { file.check_replaceable() };
    check()?;
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
    let mut is_made = false;
    let done = block_on(unless_signalled(async {
        let (plan, _) = request_plan(&task, agent, &cx).await?;
        match args.json {
            true => view::print_json_or_warn(&described(&plan, file.path(), true)),
            false => view::print_or_warn(&text::printable(plan.text())),
        };
        // Somebody may have written a plan in the meantime.
        check()?;
        file.write(&plan)?;
        is_made = true;
        view::say(&format!("stored in {}: `loop plan run` performs it", args.place.file.display()));
        Ok(())
    }));
    if done.is_ok() && !is_made {
        view::say("interrupted: no plan was stored");
    }
    done
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
    let settings = settings(&dir)?;
    let repairs = args.repairs.unwrap_or_else(|| settings.plan_repairs());
    let most = open.saturating_mul(repairs + 1).to_string();
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
        .with("--repairs", &repairs.to_string())
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
