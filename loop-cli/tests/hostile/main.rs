//! Agents that hang, leak, flood and kill, through the real binary.
//!
//! People leave a loop alone overnight. Then it meets more than agents with wrong answers: agents ignore TERM, leave
//! daemons behind, print a gigabyte, or delete the folder they work in; and the machine may kill the loop itself. Each
//! of these is a script in `agents/`, run as the agent and as the check. In each case the run ends within its limit,
//! the grace time and [`run_case::SLACK`]; no process with the run's mark in its command line is left; there is one
//! record; and the exit code is the documented one.
//!
//! One table of cases gives both the tests and `HOSTILE.md`.
//!
//! Only these tests look at the clock, because they are about time limits. So the heavy ones run alone.
#![cfg(all(test, target_os = "linux"))]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

#[path = "../cli/chat_harness.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod chat_harness;
#[path = "../cli/child_processes.rs"]
mod child_processes;
#[path = "../cli/model_server.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod model_server;
#[path = "../cli/support.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod support;
#[path = "../cli/terminal.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod terminal;

mod case;
mod cases;
mod hostile_scenario;
mod other_commands;
mod page;
mod processes;
mod run_case;
