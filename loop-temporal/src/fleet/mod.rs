//! A budget over several runs.
//!
//! Two hundred runs with a limit of $5 each may spend $1,000. One budget over all of them cannot be a limit that each run
//! checks by itself: all of them look, see the same money, and spend it. So one workflow has the money, and a run reserves
//! a part of it before each iteration.

mod ledger;
mod messages;

pub use self::{
    ledger::Ledger,
    messages::{FleetGrant, FleetNote, FleetShare, FleetState, FleetStep},
};
