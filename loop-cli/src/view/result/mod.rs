//! The display of what a run did: its summary and its pages.

mod iteration_page;
mod resume_hint;
mod run_page;
mod summary;

pub(crate) use self::{
    iteration_page::IterationPage,
    resume_hint::{resume_command, resume_hint},
    run_page::run_page,
    summary::summary,
};
