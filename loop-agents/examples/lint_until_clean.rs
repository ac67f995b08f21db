//! Lint until clean: the linter always exits with 0, so its output decides.
//!
//! Run it with `cargo run -p loop-agents --example lint_until_clean`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{error::Error, fs};

use loop_agents::shell::{CommandEvaluator, Shell, ShellAgent};
use loop_core::Loop;
use loop_guardrails::{evaluator_passed, output_matches};

/// Counts lines with a trailing blank, like a linter that only reports.
const LINTER: &str = r#"grep -n ' $' poem.txt
echo "$(grep -c ' $' poem.txt) warnings""#;

/// Fixes the first line that the check reports: `3:text` is line 3.
const AGENT: &str = r#"line=$(sed -n 's/^\([0-9]*\):.*/\1/p' | head -n 1)
[ -z "$line" ] || sed -i.old "${line}s/ *$//" poem.txt"#;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let project = tempfile::tempdir()?;
    let poem = project.path().join("poem.txt");
    fs::write(&poem, "Roses are red \nViolets are blue\nLoops have an end  \nAnd so do you\n")?;

    let shell = Shell::new().dir(project.path()).inherit_env(std::env::vars_os());
    let agent = ShellAgent::new(AGENT)?.prompt("The linter says:\n{evaluator_output}\n").shell(shell.clone());
    let linter = CommandEvaluator::new(LINTER)?.shell(shell);
    let clean = evaluator_passed().and(output_matches("(?m)^0 warnings")?);

    let report = Loop::new(agent).evaluate(linter).until(clean).at_most(10).run().await?;

    println!("{} after {} iterations", report.ending(), report.iterations());
    assert!(report.is_success());
    assert_eq!(
        fs::read_to_string(poem)?,
        "Roses are red\nViolets are blue\nLoops have an end\nAnd so do you\n"
    );
    Ok(())
}
