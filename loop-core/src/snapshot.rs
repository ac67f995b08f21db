//! The state of a run at one moment, instead of all its events.
//!
//! A run of a million events is restored by folding all of them, and a durable engine charges for each one that it
//! stores. The state itself is small: the progress, and what the parts counted.

use serde::{Deserialize, Serialize};

use crate::{BoxError, Progress, with_causes};

/// The state of a run: its [`Progress`], and the state of each part that observes. Created by
/// [`Machine::snapshot`](crate::Machine::snapshot) and [`Run::snapshot`](crate::Run::snapshot).
///
/// It equals the fold of all events so far. Store it as [`Versioned`](crate::Versioned), so that a later version of
/// this crate can tell what it reads. [Paces](crate::Pace) have no state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Snapshot {
    /// The state of the run.
    pub progress: Progress,
    pub(crate) guardrails: Vec<PartState>,
    /// Only a [`Run`](crate::Run) has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<PartState>,
}

/// The state of a part, with the part's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartState {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) state: String,
}

/// The error of taking or restoring a [`Snapshot`]. It names the part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct SnapshotError(Why);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Why {
    #[error(
        "`{0}` has no snapshot: implement `snapshot` and `restore` for it (a part without state of its own returns an \
         empty text), or store the events of the run instead"
    )]
    Missing(String),
    #[error(
        "the snapshot is of a run with the parts {stored}, but this run has {present}: compose it as it was"
    )]
    OtherParts { stored: String, present: String },
    #[error("the state of `{part}` in the snapshot cannot be read: {why}")]
    Unreadable { part: String, why: String },
    #[error("the snapshot is damaged: {0}; use an undamaged copy, or the events of the run")]
    Damaged(&'static str),
}

impl SnapshotError {
    /// Creates the error of a part that has no snapshot.
    pub fn missing(part: impl Into<String>) -> Self {
        Self(Why::Missing(part.into()))
    }

    pub(crate) const fn damaged(why: &'static str) -> Self {
        Self(Why::Damaged(why))
    }

    pub(crate) fn unreadable(part: impl Into<String>, error: &BoxError) -> Self {
        Self(Why::Unreadable { part: part.into(), why: with_causes(&**error) })
    }
}

impl PartState {
    /// Checks that these states belong to the parts with these names, in the same order.
    pub(crate) fn check<'a>(
        states: &[Self],
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), SnapshotError> {
        if states.iter().map(|state| state.name.as_str()).eq(names.clone()) {
            return Ok(());
        }
        let listed = |names: Vec<&str>| match &*names {
            [] => "none".to_owned(),
            names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let stored = listed(states.iter().map(|state| state.name.as_str()).collect());
        Err(SnapshotError(Why::OtherParts { stored, present: listed(names.collect()) }))
    }
}

/// Restores a part without state.
pub(crate) fn restore_nothing(state: &str) -> Result<(), BoxError> {
    match state {
        "" => Ok(()),
        _ => Err("the part stores a state, but does not implement `restore`".into()),
    }
}

/// Joins the states of several parts into one text. Each state has its length in front of it.
pub(crate) fn join(
    states: impl IntoIterator<Item = Result<String, SnapshotError>>,
) -> Result<String, SnapshotError> {
    let states = states.into_iter().collect::<Result<Vec<_>, _>>()?;
    match states.iter().all(String::is_empty) {
        true => Ok(String::new()),
        false => Ok(states.iter().map(|state| format!("{}:{state}", state.len())).collect()),
    }
}

/// Separates the states of this number of parts, which [`join`] joined.
pub(crate) fn split(joined: &str, parts: usize) -> Result<Vec<&str>, BoxError> {
    if joined.is_empty() {
        return Ok(vec![""; parts]);
    }
    let mut rest = joined;
    let mut states = Vec::with_capacity(parts);
    while !rest.is_empty() {
        let state =
            rest.split_once(':').and_then(|(length, after)| after.split_at_checked(length.parse().ok()?));
        let Some((state, after)) = state else { return Err("the lengths of its parts are damaged".into()) };
        states.push(state);
        rest = after;
    }
    match states.len() == parts {
        true => Ok(states),
        false => Err(format!("it has {} parts instead of {parts}", states.len()).into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn joined_states_come_apart_again(states in vec("[a-c:0-9é]{0,4}", 0..5)) {
            let joined = join(states.iter().cloned().map(Ok)).unwrap();
            prop_assert_eq!(split(&joined, states.len()).unwrap(), states);
        }

        #[test]
        fn damaged_states_are_refused_without_a_panic(joined in "[0-9:aé]{0,12}", parts in 0..4_usize) {
            if let Ok(states) = split(&joined, parts) {
                prop_assert_eq!(states.len(), parts);
            }
        }
    }
}
