//! Two agents on one task: one does, and another, which begins afresh, checks what was really done.
//!
//! An agent that judges its own work says that it is done, or that tests pass which it never ran; and a loop that
//! believes it ends with nothing. A second model that is shown the first one's report believes it too. So the
//! reviewer is told what *happened*: an [`Account`] of files, commands with their exit codes, errors and refusals. It
//! comes from our own tools, from what the agent's program tells in its stream, or from the differences of the
//! [`WorkTree`], and never from what a model says. And a verdict counts only if it comes through the reviewer's own
//! channel, in this very review: a file would do for neither.
//!
//! | part | is |
//! | --- | --- |
//! | [`Worker`] | an agent whose deeds are accounted for: [`ChatWorker`], [`ShellWorker`] |
//! | [`TaskExecution`] | an iteration: a worker, a task, and what is left of it |
//! | [`Ledger`] | what all its loops did, also those that left nothing behind |
//! | [`ReviewEvaluator`] | an evaluator: any agent that reviews |
//! | [`Findings`] | what a review found, as text that can be read again |

mod account;
mod brief;
mod evaluator;
mod executing;
mod findings;
mod ledger;
mod newest;
mod recorder;
mod status;
mod stream;
mod tree;
mod verdict;
mod worker;

pub use self::{
    account::{Account, Ran, Source},
    brief::{EXECUTOR, MAX_TASK_BYTES, REVIEWER},
    evaluator::{BLOCKED, CLAIMED, ReviewEvaluator, Reviewed, is_claimed},
    executing::{TaskExecution, Worked},
    findings::{Findings, MAX_PENDING},
    ledger::Ledger,
    newest::Newest,
    status::{claims_complete, next_steps},
    tree::{Look, WorkTree},
    worker::{ChatWorker, ShellWorker, Worker},
};
