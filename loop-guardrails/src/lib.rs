//! loop-guardrails.
