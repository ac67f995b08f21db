//! `loop-temporal`: runs loops of many machines on Temporal. `loop` finds it as `loop worker` and `loop submit`.

mod arguments;
mod commands;
mod show;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if loop_agents::process::serve_as_watchdog(std::env::args_os()) {
        return ExitCode::SUCCESS;
    }
    let command = arguments::Cli::parse().command;
    match commands::exec(command) {
        Ok(code) => code,
        Err(error) => {
            commands::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
