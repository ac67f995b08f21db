//! `loop completions`: a completion script for a shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Failure;
use crate::{args::Cli, exit, view};

pub(crate) fn exec(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "loop", &mut script);
    view::print_or_warn(&String::from_utf8_lossy(&script));
    Ok(ExitCode::from(exit::OK))
}
