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
mod options;
mod page;
mod place;
mod plans;
mod report;
mod statistics;
mod table;

pub use self::{
    assay::Assay,
    baseline::{Baseline, BaselineError, Change, Comparison},
    case::{Case, Cases},
    case_run::{CaseOutcome, CaseRun},
    case_schema::case_schema,
    error::{AssayError, CaseError, CaseErrors},
    measured::{CaseResult, RunNote, Spread},
    options::AssayOptions,
    page::page,
    place::discard_old,
    plans::Subject,
    report::{AssayEnd, AssayReport},
    statistics::{Interval, newcombe, wilson},
    table::table,
};
