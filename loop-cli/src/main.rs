//! `loop`: runs an agent against a check until it passes, within hard limits.
#[cfg(not(unix))]
compile_error!("loop supervises processes as Unix does; on Windows, build and run it inside WSL");

mod args;
mod ask;
mod clock;
mod command;
mod debug_log;
mod drive;
mod exit;
mod fault_injection;
mod output_logs;
mod persistence;
mod schedule;
mod session;
mod signals;
mod task;
mod view;

fn main() -> std::process::ExitCode {
    if loop_agents::process::serve_as_watchdog(std::env::args_os()) {
        return std::process::ExitCode::SUCCESS;
    }
    command::main()
}
