#![doc = include_str!("../README.md")]

mod assay;
mod baseline;
mod case;
mod case_file;
mod case_run;
mod case_schema;
mod check;
mod error;
mod iteration;
mod journals;
mod measured;
mod page;
mod plans;
mod statistics;
mod table;

pub use self::{
    assay::{Assay, AssayEnd, AssayOptions, AssayReport},
    baseline::{Baseline, BaselineError, Change, Comparison},
    case::{Case, Cases},
    case_run::{CaseOutcome, CaseRun},
    case_schema::case_schema,
    error::{AssayError, CaseError, CaseErrors},
    measured::{CaseResult, RunNote, Spread},
    page::page,
    plans::Subject,
    statistics::{Interval, newcombe, wilson},
    table::table,
};
