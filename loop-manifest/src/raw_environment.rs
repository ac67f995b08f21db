//! The environment of an agent, as it was written.

use super::{
    field::{Field, NamedText, SpannedText},
    fields::Fields,
};

/// `agent.env`: the variables that the agent and the evaluator see.
#[derive(Debug, Default)]
pub(crate) struct RawEnvironment {
    /// The variables to start with: `all` (the default: all that do not look like a secret) or `none`.
    pub(crate) inherit: Field<String>,
    /// The names of variables to pass on even if they look like secrets; a final `*` matches any ending.
    pub(crate) pass: Field<Vec<SpannedText>>,
    /// Variables to set, by name.
    pub(crate) set: Field<Vec<NamedText>>,
}

impl RawEnvironment {
    /// Reads the fields from `agent.env`.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            inherit: fields.text("agent.env.inherit"),
            pass: fields.list("agent.env.pass"),
            set: fields.texts("agent.env.set"),
        }
    }
}
