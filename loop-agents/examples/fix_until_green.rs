//! Fix until green: one command works, another checks, and the worker reads the output of the check.
//!
//! The agent is a script that fixes one test per iteration. Replace it by `claude -p`.
//!
//! Run it with `cargo run -p loop-agents --example fix_until_green`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{error::Error, fs, time::Duration};

use loop_agents::shell::{CommandEvaluator, Shell, ShellAgent};
use loop_core::{Event, EventKind, Loop, Progress, evaluator_passed};
use loop_guardrails::{ConsecutiveFailures, MaxElapsed};

/// Three tests, of which two fail: one line `NAME EXPECTED ACTUAL` each.
const TESTS: &str = "adds 4 4\nsubtracts 0 8\nmultiplies 6 5\n";

/// Names the first test that fails.
const CHECK: &str = r#"while read -r name expected actual; do
    [ "$expected" = "$actual" ] || { echo "FAILED $name"; exit 1; }
done < tests.txt"#;

/// Fixes only the test that its prompt names.
const AGENT: &str = r#"name=$(sed -n 's/^FAILED //p')
[ -n "$name" ] || exit 0
sed -i.old "s/^\($name\) \([0-9]*\) .*/\1 \2 \2/" tests.txt"#;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let project = tempfile::tempdir()?;
    fs::write(project.path().join("tests.txt"), TESTS)?;

    let shell = Shell::new().dir(project.path()).inherit_env(std::env::vars_os());
    let agent = ShellAgent::new(AGENT)?
        .goal("Make the tests pass")
        .prompt("{goal}. The last run said:\n{evaluator_output}\n")
        .shell(shell.clone());
    let tests = CommandEvaluator::new(CHECK)?.shell(shell);
    let lines = |event: &Event, progress: &Progress| {
        if let (EventKind::StepSettled { met, .. }, Some(step)) = (&event.kind, progress.last_step()) {
            let said = step.verdict().map_or("", |verdict| verdict.text());
            println!("iteration {}: {}{}", step.iteration(), said, if *met { "green" } else { "" });
        }
    };

    let report = Loop::new(agent)
        .evaluate(tests)
        .until(evaluator_passed())
        .at_most(10)
        .guard(MaxElapsed::new(Duration::from_secs(60)))
        .guard(ConsecutiveFailures::new(3))
        .observe(lines)
        .run()
        .await?;

    // The first iteration has no output to read yet; the second and the third fix one test each.
    assert!(report.is_success());
    assert_eq!(report.iterations(), 3);
    Ok(())
}
