//! Laws of the engine, against a real server. `.ci/nightly engine` starts one; by hand, set `LOOP_TEMPORAL_ADDRESS`.

mod conformance;
mod server;
