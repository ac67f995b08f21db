//! Keeps the facts about models in the state directory.
//!
//! A server that is asked at each start would delay every short command. So the answer is kept for a day, for the model
//! at this address with this digest.

use std::{
    ffi::OsString,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    time::SystemTime,
};

use loop_agents::{
    chat::Endpoint,
    facts::{Fact, FactSource, ModelFacts},
};
use loop_telemetry::{
    Cache, StateDir, clamped,
    jiff::{SignedDuration, Timestamp},
};
use serde::{Deserialize, Serialize};

/// How long facts are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// The kept facts of all models.
#[derive(Debug, Clone)]
pub(super) struct FactsStore {
    /// `None` if there is no place for state.
    cache: Option<Cache>,
    now: Timestamp,
}

/// The kept facts of one model.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    address: String,
    model: String,
    digest: String,
    /// When the server was asked.
    asked: String,
    facts: ModelFacts,
}

impl FactsStore {
    pub(super) fn of(variables: &[(OsString, OsString)], now: SystemTime) -> Self {
        let lookup =
            |name: &str| variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let state = StateDir::from_env_with(lookup).ok();
        let folder = state.and_then(|state| state.models().ok());
        Self { cache: folder.map(Cache::at), now: clamped(now) }
    }

    /// Returns the time of the facts that are learned now.
    pub(super) fn now(&self) -> String {
        format!("{:.0}", self.now)
    }

    /// Returns the facts that the server reported within the last day. A model with another digest is another model;
    /// without a digest, any counts.
    pub(super) fn recent(&self, server: &Endpoint, model: &str, digest: Option<&str>) -> Option<ModelFacts> {
        let entry = self.entry(server, model)?;
        let asked: Timestamp = entry.asked.parse().ok()?;
        let age = self.now.duration_since(asked);
        let is_recent = !age.is_negative() && age < KEPT;
        let is_same = digest.is_none_or(|digest| digest == entry.digest);
        (is_recent && is_same).then_some(entry.facts)
    }

    /// Returns whether a reply has shown that the model writes its calls into its text.
    pub(super) fn calls_in_text(&self, server: &Endpoint, model: &str) -> Option<Fact<bool>> {
        self.entry(server, model)?.facts.calls_in_text
    }

    /// Keeps the facts that the server has just reported.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn keep(
        &self,
        server: &Endpoint,
        model: &str,
        digest: &str,
        facts: &ModelFacts,
    ) -> io::Result<()> {
        let old = self.entry(server, model).filter(|entry| entry.digest == digest);
        let learned =
            ModelFacts { calls_in_text: old.and_then(|entry| entry.facts.calls_in_text), ..facts.clone() };
        self.write(
            server,
            &Entry {
                address: server.shown_address(),
                model: model.to_owned(),
                digest: digest.to_owned(),
                asked: self.now.to_string(),
                facts: learned,
            },
        )
    }

    /// Keeps that the model writes its calls into its text.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn keep_calls_in_text(&self, server: &Endpoint, model: &str) -> io::Result<()> {
        let unasked = || Entry {
            address: server.shown_address(),
            model: model.to_owned(),
            digest: String::new(),
            asked: Timestamp::UNIX_EPOCH.to_string(),
            facts: ModelFacts::default(),
        };
        let mut entry = self.entry(server, model).unwrap_or_else(unasked);
        entry.facts.calls_in_text = Some(Fact::new(true, FactSource::Reply, self.now()));
        self.write(server, &entry)
    }

    fn entry(&self, server: &Endpoint, model: &str) -> Option<Entry> {
        let address = server.shown_address();
        let bytes = self.cache.as_ref()?.read(&id(&address, model))?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        // Two models could have the same id.
        (entry.address == address && entry.model == model).then_some(entry)
    }

    fn write(&self, server: &Endpoint, entry: &Entry) -> io::Result<()> {
        let Some(cache) = &self.cache else { return Ok(()) };
        cache.write(&id(&server.shown_address(), &entry.model), &serde_json::to_vec(entry)?)
    }
}

fn id(address: &str, model: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (address, model).hash(&mut hasher);
    format!("facts-{:016x}", hasher.finish())
}
