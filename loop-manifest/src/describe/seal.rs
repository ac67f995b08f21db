//! The words about a sealed check.

use loop_telemetry::words::count;

use crate::{
    plan::{EvaluatorPlan, MinTests, OnProtectedChange, SealPlan},
    sealed::is_test_runner,
};

/// Describes what an agent cannot change of the check.
pub(super) fn lines(plan: &EvaluatorPlan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(SealPlan { protect, min_tests, on_change, setup }) = &plan.seal {
        let exceptions = protect.iter().filter(|line| line.starts_with('!')).count() as u64;
        let more = protect.len() as u64 - exceptions;
        let more = if more > 0 { format!(" and {}", count(more, "path")) } else { String::new() };
        let but =
            if exceptions > 0 { format!(", with {}", count(exceptions, "exception")) } else { String::new() };
        let after = match on_change {
            OnProtectedChange::Restore => "; what an iteration changes of that is put back",
            OnProtectedChange::Keep => "",
            OnProtectedChange::Halt => "; a change of that ends the run",
        };
        lines.push(format!("sealed: tests and their configuration{more} are those of the start{but}{after}"));
        let is_counted = plan.command.as_deref().is_some_and(is_test_runner);
        lines.extend(match min_tests {
            MinTests::Count | MinTests::Names if !is_counted => Some(
                "unless the output says how many tests ran, the protected files and the exit code decide alone"
                    .to_owned(),
            ),
            MinTests::Count => Some("as many tests as before the first iteration have to run".to_owned()),
            MinTests::Names => Some("the tests from before the first iteration have to run".to_owned()),
            MinTests::Number(least) => Some(format!("at least {} have to run", count(*least, "test"))),
            MinTests::Off => None,
        });
        lines.extend(
            setup.as_ref().map(|setup| format!("`{}` runs after a change of the dependencies", setup.trim())),
        );
    }
    lines.extend(plan.confirm.map(|times| format!("it has to pass {times} times in a row")));
    lines
}
