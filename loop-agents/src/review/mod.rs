//! Two agents on one task: one does the work, and the other, which starts afresh, checks the result.
//!
//! An agent that judges its own work claims that it is done, or that tests pass which it never ran. A loop that
//! believes these claims ends with nothing. A second model that sees only the first one's report believes it too. So
//! the reviewer receives the *facts*: an [`ActionLog`] of files, commands with their exit codes, errors and refusals.
//! The action log comes from our own tools, from the stream of the agent's program, or from the differences in the
//! [`WorkTree`], and never from a model's words. A verdict counts only if it arrives through the reviewer's own
//! channel, during this very review. A file would not be safe: anyone can write it, and it may be old.
//!
//! | part | description |
//! | --- | --- |
//! | [`Worker`] | an agent whose actions are recorded: [`ChatWorker`], [`ShellWorker`] |
//! | [`TaskExecution`] | an iteration: a worker and a task, with the state of the work |
//! | [`ActionHistory`] | the actions of all its loops, including those without an output |
//! | [`ReviewEvaluator`] | an evaluator: any agent that reviews |
//! | [`Findings`] | a review's findings, as text that can be parsed again |

mod action_history;
mod action_log;
mod call_event;
mod call_recorder;
mod evaluator;
mod findings;
mod judgement;
mod prompt;
mod recent_items;
mod status_claim;
mod stream;
mod task_execution;
mod verdict;
mod worker;
mod worktree;

#[cfg(feature = "pipeline")]
pub(crate) use self::worker::SAID_BYTES;
pub use self::{
    action_history::ActionHistory,
    action_log::{ActionLog, ActionSource, CommandRecord},
    call_event::{CallEvent, CallListener},
    evaluator::{BLOCKED, CLAIMED, ReviewEvaluator, ReviewableOutput, is_claimed},
    findings::{Findings, MAX_PENDING},
    judgement::is_without_verdict,
    prompt::{EXECUTOR, MAX_TASK_BYTES, REVIEWER},
    recent_items::RecentItems,
    status_claim::{claims_complete, next_steps},
    task_execution::{TaskExecution, TaskOutput},
    worker::{ChatWorker, ShellWorker, Worker},
    worktree::{WorkTree, WorkTreeSnapshot},
};
#[cfg(feature = "plan")]
pub(crate) use self::{action_log::line, call_recorder::subject, worker::is_own_call};
