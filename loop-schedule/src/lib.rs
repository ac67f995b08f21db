#![doc = include_str!("../README.md")]

mod cron;
pub mod duration;
mod interval;
mod jitter;
mod job;
mod names;
mod off_switch;
mod phrase;
mod project_jobs;
mod request;
mod runner;
mod scheduler;
mod settings;
mod store;
mod time;
mod zone;

pub use async_trait::async_trait;
/// The crate's API uses its instants and time zones.
pub use jiff;
pub use tokio_util::sync::CancellationToken;

pub use self::{
    cron::{Cron, CronError, CronField, CronProblem},
    interval::{EvenInterval, Interval, IntervalError, IntervalUnit, IntervalWarning, ScheduledInterval},
    jitter::Jitter,
    job::{
        ActionError, CatchUp, ExactPeriod, Expiry, FirstFire, Horizon, Job, JobAction, JobError, JobId,
        JobIdError, Overlap, PeriodError, SecretInAction, Trigger,
    },
    off_switch::{OffSwitch, OffSwitchWatch},
    phrase::{Phrase, PhraseError, PhraseTime},
    project_jobs::{DISABLE_VARIABLE, ProjectJobs, is_disabled},
    request::{JobRequest, JobRequestError},
    runner::{Delivery, DeliveryContext, FiringSwitch, Runner, RunnerHandle, RunnerNotice},
    scheduler::{
        EndReason, Fire, FireRecord, FireStage, JobState, JobStatus, Scheduler, SchedulerEvent, Slots,
    },
    settings::ScheduleSettings,
    store::{
        ChangeListener, DropGuard, FileStore, FiringLock, JobRecord, JobStore, Jobs, JobsChange, MemoryStore,
        OpenSession, StoreError, StoreWarning, WithWarnings,
    },
    time::{TimeError, parse_time},
    zone::{Zone, ZoneError},
};
