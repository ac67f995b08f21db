//! The command as its users meet it: the real binary, real shells, and a folder of its own for each
//! test.
//!
//! No test sleeps, and none depends on speed: an agent that must be cut would sleep for longer than a
//! test waits for anything, and what a test waits for is a condition.
#![cfg(all(test, unix))]

mod model_server;
mod seat;
mod support;
mod terminal;

mod access;
mod approval;
mod attacks;
mod budgets;
mod cases;
mod chat;
mod check;
mod checkpoint;
mod concealed;
mod contained;
mod damaged_files;
mod dry_run;
mod early;
mod environment;
mod every;
mod faults;
mod first_format;
mod goal;
mod harmless;
mod help;
mod init;
mod journal;
mod judge;
mod kept_output;
mod large_replies;
mod limits;
mod live;
mod long;
mod looking;
mod model_agent;
mod no_file;
mod output;
mod policy;
mod prompts;
mod redaction;
mod report;
mod resume;
mod retention;
mod review;
mod schedule;
mod schedule_cases;
mod schedule_run;
mod session;
mod session_files;
mod session_loop;
mod session_schedule;
mod signals;
mod state;
mod stored_files;
mod task;
mod task_agents;
mod task_bad_loops;
mod task_cases;
mod task_hostile;
mod unmetered;
mod wrong;
