//! Runs the manifest that is named on the command line, in the current folder.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use loop_agents::process::Supervisor;
use loop_core::{Event, Progress};
use loop_manifest::{ExecutionContext, Plan};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = std::env::args().nth(1).ok_or("name a manifest, for example loop.yaml")?;
    let loaded = Plan::load(manifest.as_ref())?;
    eprint!("{}", loaded.warnings);
    let run = Supervisor::new(format!("example-{}", std::process::id()));
    let cx = ExecutionContext::new(std::env::current_dir()?, run)?
        .with_variables(std::env::vars_os())
        .on_warning(|warning| eprintln!("warning: {warning}"));
    let report =
        loaded.plan.compose(&cx)?.observe(|event: &Event, _: &Progress| println!("{event:?}")).run().await?;
    println!("{}", report.ending());
    Ok(())
}
