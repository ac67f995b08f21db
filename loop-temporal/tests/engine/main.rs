//! Laws of the engine, against a real server. `.ci/nightly engine` runs them; by hand, `LOOP_TEMPORAL_SERVER` names the
//! program `temporal`.

mod chaos;
mod conformance;
mod faults;
mod fleet;
mod hosts;
mod laws;
mod network;
mod server;
