//! `loop`: run an agent against a check until it passes, inside limits that hold.
// The fuzz target `manifest` is this program with another way in: see `fuzz/README.md`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(not(unix))]
compile_error!("loop supervises processes as Unix does; on Windows, build and run it inside WSL");

mod args;
mod ask;
mod clock;
mod command;
mod compose;
mod drive;
mod duration;
mod every;
mod exit;
mod faults;
#[cfg(fuzzing)]
mod fuzz;
mod init;
mod interrupted;
mod keeping;
mod logging;
mod manifest;
mod model;
mod report;
mod schedule;
mod session;
mod settings;
mod signals;
mod task;
mod view;

#[cfg_attr(fuzzing, expect(dead_code, reason = "fuzzing begins elsewhere"))]
fn main() -> std::process::ExitCode {
    if loop_agents::process::serve_as_guardian(std::env::args_os()) {
        return std::process::ExitCode::SUCCESS;
    }
    command::main()
}
