//! Runs a task file of the current folder with a command that works and reviews: `run_task fix.md 'claude -p'`.

#![expect(clippy::print_stdout, reason = "a program prints")]

use loop_agents::process::Supervisor;
use loop_manifest::{
    ExecutionContext,
    task::{Task, TaskAgent, TaskSpec, TaskText},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (file, agent) = args.next().zip(args.next()).ok_or("name a task file and a command")?;
    let folder = std::env::current_dir()?;
    let (text, task) = TaskText::open(&folder, &file)?;
    let spec = TaskSpec::new(&text, TaskAgent::Command(agent), task.permissions);
    let run = Supervisor::new(format!("example-{}", std::process::id()));
    let cx = ExecutionContext::new(folder, run)?.with_variables(std::env::vars_os());
    let mut task = Task::open(spec, &cx)?;
    let report = task.compose()?.run().await?;
    let outcome = task.outcome(report.ending(), report.progress()).await;
    println!("{:?}: {}", outcome.status, outcome.findings.summary);
    Ok(())
}
