//! One command, supervised: started, fed, listened to, and ended with all that it started.
//!
//! People leave loops alone overnight, and what then goes wrong is seldom the agent's answer. A
//! prompt larger than a pipe stops both sides when nobody reads while the other writes. A
//! background child that inherited the output keeps the loop waiting for an end that does not
//! come. A Ctrl+C reaches the shell and not what the shell started. So:
//!
//! - a command, a line for `/bin/sh -c` or a program with its words, runs in a session of its own, and is
//!   signalled as a group;
//! - its input is written, and its outputs are read, at the same time, in bounded memory;
//! - the run ends when the process ends; whatever still holds its output is given
//!   [`STRAGGLER_TIME`], and then the pipe is let go;
//! - ending it means TERM, a grace time, KILL, each to the whole group; after an end by itself
//!   the rest of the group is killed too; and dropping the future kills the group at once;
//! - what left the group is found all the same, and ended: see [`Custody`];
//! - a command can have a [time limit](Process::max_time), and a limit to its
//!   [silence](Process::max_silence).
//!
//! Nothing here polls: the end of a process is an event (a pidfd on Linux), as is its output.
//!
//! # Platforms
//! Linux 5.3 or newer, with glibc 2.29 or newer, or musl. On other Unix systems a portable path is
//! compiled (a group in the place of a session, a blocking thread for each process that is awaited).
//! It passes these tests on Linux, and has not been verified anywhere else.

mod blocking;
mod command;
mod custody;
mod environment;
mod error;
mod exit;
mod input;
mod job;
mod limit;
mod output;
mod pipe;
mod program;
mod run;
mod session;
mod stdio;
mod system;

pub use command::{DEFAULT_GRACE, Process};
pub use custody::{Custody, KeepAwake, RUN_VARIABLE, Swept, serve_as_guardian, sweep, wake};
pub use environment::Environment;
pub use error::ProcessError;
pub use exit::Exit;
pub use job::Job;
pub use limit::Cut;
pub use output::Stream;
pub use run::{Finished, STRAGGLER_TIME};
