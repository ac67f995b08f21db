//! Secrets that must not appear: an agent may print its environment while somebody looks over a shoulder.

use std::{
    borrow::Cow,
    env,
    sync::{LazyLock, PoisonError, RwLock},
};

use loop_telemetry::{OutputFilter, Redactor};

use crate::persistence;

/// The secrets of a run: those of the environment and of its manifest.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// The secrets of the environment, used while there is no run. They load lazily, because building the search takes
/// time, and many commands print nothing that could contain a secret.
static OF_ENVIRONMENT: LazyLock<Redactor> = LazyLock::new(|| {
    let variables: Vec<_> = env::vars_os().collect();
    persistence::secrets(variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())))
});

/// Hides these secrets too, from now on.
pub(crate) fn redact_also(more: impl IntoIterator<Item = Vec<u8>>) {
    let known = secrets().and(more).shapes();
    set_redactor(known);
}

/// Hides these secrets from now on.
pub(crate) fn set_redactor(secrets: Redactor) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// Returns the hidden secrets.
pub(crate) fn secrets() -> Redactor {
    let of_run = SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone();
    of_run.unwrap_or_else(|| OF_ENVIRONMENT.clone())
}

/// Removes secrets from the text.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// Returns the bytes from `start` without secrets and terminal control sequences. It also removes a secret that begins
/// before `start`.
pub(super) fn redact_from(bytes: &[u8], start: usize) -> Vec<u8> {
    let mut stream = OutputFilter::for_display(&secrets());
    stream.push(&bytes[..start]);
    let mut output = stream.push(&bytes[start..]).to_vec();
    output.extend(stream.rest());
    output
}
