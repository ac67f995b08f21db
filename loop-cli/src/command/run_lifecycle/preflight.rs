//! Checks before the first paid step: a trial of the evaluator, and whether programs exist.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use loop_agents::{process::CutReason, shell::CheckOutput};

use crate::command::{Failure, OrFail, usage};
use crate::{
    persistence,
    view::{self, text},
};
use loop_manifest::{
    ExecutionContext, MissingProgram, Paint, Plan, closest,
    init::KnownAgent,
    missing_program,
    model::Model,
    plan::{EvaluatorPlan, ReviewerPlan, WorkPlan},
    task::{TaskAgent, TaskSpec},
};

/// Tries the evaluator, shows its result, and warns if it already passes. Fails if a run would end in its first
/// iteration. Also warns about a missing agent.
pub(crate) async fn try_evaluator(plan: &Plan, cx: &ExecutionContext) -> Result<(), Failure> {
    check_agent_program(plan, cx.folder(), cx.variables());
    check_reviewer_program(plan, cx.folder(), cx.variables());
    let Some(mut command) = plan.check_command(cx)? else {
        view::print_or_warn("nothing to try: there is no command, and no output to judge yet");
        return Ok(());
    };
    let checked = command.check().await.or_internal("evaluator.command")?;
    let CheckOutput { verdict, exit, cut, .. } = &checked;
    show("check, tried once", &text::printable(verdict.text()));
    if let Some(cut) = cut {
        view::print_or_warn(&format!("verdict: none (the check was ended {cut})"));
        view::warning(&unfinished(*cut));
        return Ok(());
    }
    view::print_or_warn(&format!("verdict: {} (the check {exit})", verdict.outcome()));
    if exit.is_unavailable() {
        return Err(usage!(
            "the check cannot run: it {exit}, which means that the shell did not find the program, or may not \
             run it\n  a run would end in its first iteration as `evaluator_unavailable`: fix `evaluator.command`"
        ));
    }
    let EvaluatorPlan { confidence, judge, review, .. } = &plan.evaluator;
    let is_all = confidence.is_none() && judge.is_none() && review.is_none();
    if is_all && plan.is_met_by(checked.record()) {
        view::warning(match plan.stop.is_plain() {
            true => "the check already passes before the agent has done anything",
            false => "the goal is already met before the agent has done anything",
        });
    }
    Ok(())
}

/// Returns advice about a check that was ended before its verdict.
fn unfinished(cut: CutReason) -> String {
    let advice = match cut {
        CutReason::TimeLimit(_) => "\n  raise `evaluator.max_seconds`, or make the check faster",
        CutReason::Requested | CutReason::SilenceLimit(_) => "",
    };
    format!("the check was ended {cut}: in a run, such an iteration fails{advice}")
}

/// Shows a text under a title.
pub(crate) fn show(title: &str, body: &str) {
    view::print_or_warn(&format!(
        "{}\n{}\n",
        view::paint(view::BOLD, format_args!("-- {title}")),
        body.trim_end()
    ));
}

/// Warns about unusable models, for example without a key.
pub(crate) fn check_models(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    let agent = match &plan.agent.work {
        WorkPlan::Model(model) => Some(("agent.model", &model.name)),
        WorkPlan::Command(_) => None,
    };
    let judge = plan.evaluator.judge.as_ref().map(|judge| ("evaluator.judge.model", &judge.model));
    let review = match plan.reviewer() {
        Some(ReviewerPlan::Model { name, .. }) => Some(("evaluator.review.model", name)),
        Some(ReviewerPlan::Command(_)) | None => None,
    };
    let named: Vec<_> = [agent, judge, review].into_iter().flatten().collect();
    let lookup = |name: &str| vars.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if named.is_empty() {
        return;
    }
    let settings = match persistence::settings(dir, lookup) {
        Ok(settings) => settings,
        Err(findings) => return view::say(&findings.render(Paint::Coloured)),
    };
    for (key, name) in named {
        if let Err(error) = Model::choose(Some(name.as_str()), &settings, vars) {
            view::warning(&format!("cannot ask `{key}`: {error:#}"));
        }
    }
}

/// Warns if the agent's program does not exist. A model needs no program.
pub(crate) fn check_agent_program(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    plan.agent.command().iter().for_each(|line| check_program("agent", line.as_str(), plan, dir, vars));
}

/// Warns if the program of a reviewing command does not exist.
pub(crate) fn check_reviewer_program(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    if let Some(ReviewerPlan::Command(command)) = plan.reviewer() {
        check_program("reviewer", command.line.as_str(), plan, dir, vars);
    }
}

/// Warns if the program or the script of `line` does not exist. `role` runs it in the folder `dir`, and `vars` is our
/// own environment.
pub(crate) fn check_program(role: &str, line: &str, plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    if let Some(missing) = missing(role, line, path_of(plan, vars).as_deref(), dir, vars) {
        view::warning(&missing);
    }
}

/// Refuses a run whose agent or reviewer does not exist.
pub(crate) fn refuse_missing_agents(plan: &Plan, cx: &ExecutionContext) -> Result<(), Failure> {
    let reviewer = match plan.reviewer() {
        Some(ReviewerPlan::Command(command)) => Some(("reviewer", command.line.as_str())),
        Some(ReviewerPlan::Model { .. }) | None => None,
    };
    let agent = plan.agent.command().map(|line| ("agent", line.as_str()));
    refuse(agent.into_iter().chain(reviewer), path_of(plan, cx.variables()).as_deref(), cx)
}

/// Refuses a task whose agent or reviewer does not exist.
pub(crate) fn refuse_missing_task_agents(spec: &TaskSpec, cx: &ExecutionContext) -> Result<(), Failure> {
    let agents = [("agent", &spec.executor), ("reviewer", &spec.reviewer)];
    let commands = agents.into_iter().filter_map(|(role, agent)| match agent {
        TaskAgent::Command(line) => Some((role, line.as_str())),
        _ => None,
    });
    refuse(commands, variable("PATH", cx.variables()).map(OsString::as_os_str), cx)
}

fn refuse<'a>(
    commands: impl IntoIterator<Item = (&'a str, &'a str)>,
    path: Option<&OsStr>,
    cx: &ExecutionContext,
) -> Result<(), Failure> {
    let mut commands = commands.into_iter();
    match commands.find_map(|(role, line)| missing(role, line, path, cx.folder(), cx.variables())) {
        Some(missing) => Err(usage!("{missing}")),
        None => Ok(()),
    }
}

/// Returns the `PATH` that the commands of a plan see.
fn path_of(plan: &Plan, vars: &[(OsString, OsString)]) -> Option<OsString> {
    let inherited = || {
        let value = variable("PATH", vars)?;
        plan.evaluator_sees().lets_see(OsStr::new("PATH"), value).then(|| value.clone())
    };
    plan.agent.env.set.get("PATH").map(OsString::from).or_else(inherited)
}

fn variable<'a>(name: &str, vars: &'a [(OsString, OsString)]) -> Option<&'a OsString> {
    vars.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Describes the program or the script that a line certainly needs and lacks. `role` runs it in the folder `dir`, with
/// this `PATH`.
pub(crate) fn missing(
    role: &str,
    line: &str,
    path: Option<&OsStr>,
    dir: &Path,
    vars: &[(OsString, OsString)],
) -> Option<String> {
    Some(match missing_program(line, path, dir)? {
        // Bash inherits functions.
        MissingProgram::NotOnPath(program)
            if [program, "command_not_found_handle"]
                .iter()
                .any(|name| variable(&format!("BASH_FUNC_{name}%%"), vars).is_some()) =>
        {
            return None;
        }
        MissingProgram::NotOnPath(program) => {
            let meant = closest(program, KnownAgent::programs(), |name| name).filter(|_| role == "agent");
            let meant = meant.filter(|name| *name != program);
            let hint = meant.map(|name| format!("did you mean `{name}`? Otherwise ")).unwrap_or_default();
            format!(
                "the {role}'s program `{program}` is not on PATH: {hint}install it, or write its whole path"
            )
        }
        MissingProgram::NoFile(file) => {
            format!(
                "the {role}'s command runs `{file}`, which does not exist: create it, or correct the path"
            )
        }
        _ => return None,
    })
}
