//! `loop man`: the manual pages.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Failure, OrFail, usage};
use crate::{args::Cli, exit, view};

/// Prints the page of the command with this name, or of `loop` itself.
pub(crate) fn exec(command: Option<&str>) -> Result<ExitCode, Failure> {
    let mut described = Cli::command();
    described.build();
    let described = match command {
        None => described,
        Some(name) => described
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| usage!("loop has no command `{name}`\n  `loop --help` lists its commands"))?,
    };
    let mut page = Vec::new();
    Man::new(described).render(&mut page).or_internal("cannot create the manual page")?;
    view::print_or_warn(&String::from_utf8_lossy(&page));
    Ok(ExitCode::from(exit::OK))
}
