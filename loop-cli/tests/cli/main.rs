//! The command as its users meet it: the real binary, real shells, and a folder of its own for each
//! test.
//!
//! No test sleeps, and none depends on speed: an agent that must be cut would sleep for longer than a
//! test waits for anything, and what a test waits for is a condition.
#![cfg(all(test, unix))]

mod support;
mod terminal;

mod budgets;
mod cases;
mod check;
mod checkpoint;
mod contained;
mod dry_run;
mod early;
mod environment;
mod goal;
mod help;
mod init;
mod journal;
mod limits;
mod live;
mod looking;
mod no_file;
mod output;
mod prompts;
mod resume;
mod signals;
mod state;
mod wrong;
