//! The display of what a run did: its table, its summary and its pages.

mod agent_output;
pub(super) mod budget;
mod iteration_page;
mod iteration_table;
mod mean_use;
mod resume_hint;
mod run_page;
mod summary;

pub(super) use self::mean_use::MeanUse;
pub(crate) use self::{
    agent_output::StoredAgentOutput,
    iteration_page::IterationPage,
    iteration_table::IterationTable,
    resume_hint::{resume_command, resume_hint},
    run_page::run_page,
    summary::summary,
};
