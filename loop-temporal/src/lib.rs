#![doc = include_str!("../README.md")]

mod connect;
mod limits;
mod link;
mod loops;
mod perform;
mod planned;
mod protocol;
mod remote_run;
mod reporter;
mod runs;
mod step_of;
mod steps;
mod submit;
mod worker;
mod workflow;

pub use self::{
    connect::{ConnectError, Settings, connect},
    limits::{Cut, StepLimits},
    link::Link,
    loops::{LoopError, Loops},
    perform::{Performed, perform},
    planned::PlannedLoops,
    protocol::{
        Claim, Left, Outcome, PROTOCOL, PersonAnswer, RunStatus, StepAnswer, StepKind, StepRequest,
        Submission, UsageReport, UsageReports, Work, WorkspacePlace,
    },
    remote_run::RemoteRun,
    reporter::Reporter,
    runs::{RunRow, Runs, RunsError},
    step_of::step_of,
    steps::{Contact, Steps},
    submit::{Batch, SubmitError, submit},
    worker::{WorkerError, WorkerPlan, run_worker},
    workflow::LoopWorkflow,
};
