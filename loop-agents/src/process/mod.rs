//! Supervises one command: starts it, feeds it, reads its output, and ends it with everything that it started.
//!
//! People leave loops alone overnight, and the agent's answer is seldom what goes wrong. A prompt larger than a pipe
//! blocks both sides if nobody reads while the other writes. A background child that inherited the output keeps the
//! loop waiting for an end of file that never comes. A Ctrl+C reaches the shell, but not the processes that the shell
//! started. So:
//!
//! - a command, which is a line for `/bin/sh -c` or a program with its arguments, runs in its own session, and receives
//!   signals as a group. A line without shell syntax starts its program without a shell;
//! - this module writes its input and reads its outputs at the same time, in bounded memory;
//! - the run ends when the process ends: other processes that still hold its output get [`STRAGGLER_TIME`], and then
//!   this module closes the pipe;
//! - ending a command means TERM, a grace time, KILL, each to the whole group. If the command ends by itself, the rest
//!   of the group is killed too. Dropping the future kills the group at once;
//! - processes that left the group are found and ended as well: see [`Supervisor`];
//! - a command can have a [time limit](Process::max_time), and a limit on its [silence](Process::max_silence).
//!
//! Nothing here polls. The end of a process is an event (a pidfd on Linux), as is its output.
//!
//! # Platforms
//! Linux 5.3 or newer, with glibc 2.29 or newer, or musl. Other Unix systems use a portable path, with a group instead
//! of a session, and a blocking thread for each process that is awaited. That path passes these tests on Linux. It has
//! not been verified anywhere else.

mod blocking;
mod command;
#[cfg(feature = "servers")]
mod detached;
mod environment;
mod error;
mod exit;
mod input;
mod job;
mod leftovers;
mod limit;
mod output;
mod pipe;
mod program;
mod run;
#[cfg(feature = "sandbox")]
pub mod sandbox;
mod session;
mod simple_line;
mod stdio;
mod supervision;
mod system;
mod terminal;

pub(crate) use blocking::off_executor;
pub use command::{DEFAULT_GRACE, Process};
#[cfg(feature = "servers")]
pub(crate) use detached::DetachedProcess;
pub use environment::Environment;
pub use error::ProcessError;
pub use exit::Exit;
pub use job::Job;
pub use leftovers::Leftovers;
pub use limit::CutReason;
pub use output::OutputStream;
pub use program::path_outside;
pub use run::{ProcessOutput, STRAGGLER_TIME};
pub use simple_line::is_shell_word;
#[cfg(feature = "servers")]
pub(crate) use supervision::lives_in_group;
pub use supervision::{
    LimitError, RUN_VARIABLE, ResourceLimits, Supervisor, SweptProcess, check_process_list,
    has_control_groups, is_below_a_run, serve_as_watchdog, suspend, sweep, try_limits, wake,
};
pub use terminal::{TerminalError, TerminalOutput};
