//! Checks before the first paid step: a trial of the evaluator, and whether programs exist.

use std::{ffi::OsString, path::Path};

use loop_agents::{process::CutReason, shell::CheckOutput};

use crate::command::{Failure, OrFail, usage};
use crate::{
    persistence,
    view::{self, text},
};
use loop_manifest::{
    ExecutionContext, Paint, Plan, UNFILLED,
    init::is_on_path,
    model::Model,
    plan::{EvaluatorPlan, ReviewerPlan, WorkPlan},
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

/// Words that can begin a shell line without being programs.
const OF_THE_SHELL: [&str; 37] = [
    ".", "alias", "builtin", "case", "cd", "command", "declare", "echo", "eval", "exec", "exit", "export",
    "false", "for", "function", "hash", "if", "let", "local", "printf", "pwd", "read", "readonly", "set",
    "shift", "shopt", "source", "test", "time", "trap", "true", "type", "ulimit", "umask", "unset", "until",
    "while",
];

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

/// Warns if the agent's program is not on PATH. A model needs no program.
pub(crate) fn check_agent_program(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    if let Some(command) = plan.agent.command() {
        check_program("agent", command.as_str(), plan, dir, vars);
    }
}

/// Warns if the program of a reviewing command is not on PATH.
pub(crate) fn check_reviewer_program(plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    if let Some(ReviewerPlan::Command(command)) = plan.reviewer() {
        check_program("reviewer", command.line.as_str(), plan, dir, vars);
    }
}

/// Warns if the first program of `line` is not on PATH, as far as the text shows. `who` runs it in the folder `dir`,
/// and `vars` is our own environment.
pub(crate) fn check_program(who: &str, line: &str, plan: &Plan, dir: &Path, vars: &[(OsString, OsString)]) {
    let Some(program) = plain_program(line) else { return };
    let inherited = || {
        let (name, value) = vars.iter().find(|(name, _)| name == "PATH")?;
        plan.evaluator_sees().lets_see(name, value).then(|| value.clone())
    };
    let path = plan.agent.env.set.get("PATH").map(OsString::from).or_else(inherited);
    // Without a PATH the shell uses its own default, which we do not know.
    if path.is_some_and(|path| !is_on_path(program, &path, dir)) {
        view::warning(&format!(
            "the {who}'s program `{program}` is not on PATH: install it, or write its full path"
        ));
    }
}

/// Returns the first word of a line if it is the plain name of a program: not a path, a variable or a shell word.
fn plain_program(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let word = words.next()?;
    let is_plain = word.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.+".contains(sign));
    // A word followed by a bracket is a function.
    let is_defined = words.next().is_some_and(|next| next.starts_with('('));
    (is_plain && !is_defined && word != UNFILLED && !OF_THE_SHELL.contains(&word)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_first_word_is_taken_for_a_program() {
        assert_eq!(plain_program(" claude -p | tee log"), Some("claude"));
        assert_eq!(plain_program("g++-13 x.cc"), Some("g++-13"));
        for line in [
            "./x",
            "a/b",
            "cd x && y",
            "A=1 x",
            "$X",
            "\"my agent\"",
            "f () { x; }",
            "f() { x; }",
            "if x",
            "",
        ] {
            assert_eq!(plain_program(line), None, "{line}");
        }
    }
}
