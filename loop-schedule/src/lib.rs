#![doc = include_str!("../README.md")]

mod cron;
mod interval;
mod jitter;
mod job;
mod off_switch;
mod project;
mod runner;
mod scheduler;
mod settings;
mod store;
mod time;
mod zone;

pub use async_trait::async_trait;
/// Its instants and time zones are what this crate is told, and tells.
pub use jiff;
pub use tokio_util::sync::CancellationToken;

pub use self::{
    cron::{Cron, CronError, Field, Problem},
    interval::{
        CleanInterval, Hint, Interval, IntervalError, Request, RequestError, Rule, Scheduled, Unit, Warning,
    },
    jitter::Jitter,
    job::{
        ActionError, CatchUp, Every, FirstFire, Job, JobAction, JobError, JobId, JobIdError, Overlap,
        PeriodError, Reach, SecretInAction, When,
    },
    off_switch::{OffSwitch, OffSwitchWatch},
    project::{DISABLE_VARIABLE, ProjectJobs, is_disabled},
    runner::{Delivering, Delivery, Notice, Runner, RunnerHandle, Switch},
    scheduler::{Event, Fire, FireRecord, Over, Scheduler, Slots, Stage, Standing, Status},
    settings::Settings,
    store::{
        Change, FileStore, FiringRight, Held, JobStore, Jobs, Loaded, MemoryStore, Record, StoreError,
        StoreWarning, Tell,
    },
    time::{TimeError, parse_time},
    zone::{Zone, ZoneError},
};
