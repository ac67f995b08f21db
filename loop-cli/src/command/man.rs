//! `loop man`: the manual pages.

use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::CommandFactory;
use clap_mangen::Man;

use super::Failure;
use crate::{args::Cli, exit, view};

/// The page of the command with this name, or of `loop` itself.
pub(crate) fn exec(command: Option<&str>) -> Result<ExitCode, Failure> {
    let mut described = Cli::command();
    described.build();
    let described = match command {
        None => described,
        Some(name) => described.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::Usage(anyhow!("loop has no command `{name}`\n  `loop --help` lists its commands"))
        })?,
    };
    let mut page = Vec::new();
    Man::new(described).render(&mut page).context("the manual page could not be made")?;
    view::tell(&String::from_utf8_lossy(&page));
    Ok(ExitCode::from(exit::OK))
}
