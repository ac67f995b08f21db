//! loop-telemetry.
