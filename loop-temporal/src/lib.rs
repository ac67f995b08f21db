#![doc = include_str!("../README.md")]

mod connect;
mod encryption;
mod fleet;
mod host;
mod limits;
mod link;
mod loops;
mod outputs;
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
mod workspace;

pub use self::{
    connect::{ConnectError, Settings, connect},
    fleet::{FleetGrant, FleetNote, FleetShare, FleetState, FleetStep, Ledger},
    host::{WorkerPlace, WorkerPlaceError},
    limits::{Cut, StepLimits},
    link::Link,
    loops::{LoopError, Loops},
    perform::{Performed, perform},
    planned::PlannedLoops,
    protocol::{
        Carried, Claim, Left, Outcome, PROTOCOL, PersonAnswer, RunState, RunStatus, StepAnswer, StepKind,
        StepRequest, Submission, UsageReport, UsageReports, Waits, Work, WorkspacePlace,
    },
    remote_run::RemoteRun,
    reporter::Reporter,
    runs::{RunRow, Runs, RunsError},
    step_of::step_of,
    steps::{Contact, Steps},
    submit::{Batch, LONGEST_HISTORY, SubmitError, Submitted, schedule, submit},
    worker::{WorkerError, WorkerPlan, run_worker},
    workflow::{FleetWorkflow, LoopWorkflow},
    workspace::{Branch, GitPlace},
};
