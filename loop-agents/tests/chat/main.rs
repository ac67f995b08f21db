//! Turns with a scripted model and real tools.
#![cfg(feature = "chat")]

mod agent;
mod cases;
mod context;
mod limits;
mod session;
mod turns;

use loop_agents::tools::Toolbox;
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use tempfile::TempDir;

/// Creates the standard tools in a folder with one file, `needle.txt`.
fn workshop() -> (TempDir, Toolbox) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("needle.txt"), "hay\nneedle here\n").expect("a file");
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
    (folder, Toolbox::standard(workspace))
}
