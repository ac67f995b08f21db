//! Two agents on one task: one does the work, and the other, which starts afresh, checks the result.
//!
//! An agent that judges its own work claims that it is done, or that tests pass which it never ran. A loop that
//! believes these claims ends with nothing. A second model that sees only the first one's report believes it too. So
//! the reviewer receives the *facts*: an [`Account`] of files, commands with their exit codes, errors and refusals. The
//! account comes from our own tools, from the stream of the agent's program, or from the differences in the
//! [`WorkTree`], and never from a model's words. A verdict counts only if it arrives through the reviewer's own
//! channel, during this very review. A file would not be safe: anyone can write it, and it may be old.
//!
//! | part | description |
//! | --- | --- |
//! | [`Worker`] | an agent whose actions are recorded: [`ChatWorker`], [`ShellWorker`] |
//! | [`TaskExecution`] | an iteration: a worker and a task, with the state of the work |
//! | [`Ledger`] | the actions of all its loops, including those without an output |
//! | [`ReviewEvaluator`] | an evaluator: any agent that reviews |
//! | [`Findings`] | a review's findings, as text that can be parsed again |

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
