//! The display of what a run did: its summary and its pages.

mod iteration_page;
mod run_page;
mod summary;

pub(crate) use self::{iteration_page::IterationPage, run_page::run_page, summary::summary};
pub(crate) use loop_manifest::{resume_command, resume_hint};
