//! `[engine.temporal]`: the server on which runs of many machines are stored.
//!
//! The server receives every plan and every output. So only the user's own file contains its address and its key.

use std::path::PathBuf;

use super::table::{SettingsOwner, SettingsTable};
use crate::{
    Source,
    diagnostics::Diagnostic,
    document::{Node, Value},
};

const ENGINES: &[&str] = &["temporal"];

const KEYS: &[&str] = &[
    "address",
    "namespace",
    "tls",
    "ca_file",
    "certificate_file",
    "key_file",
    "server_name",
    "key_env",
    "encryption_key_env",
];

/// The values of `[engine]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineSettings {
    /// The Temporal server.
    pub temporal: TemporalSettings,
}

/// The values of `[engine.temporal]`; `None` where the table says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemporalSettings {
    /// The address of the server, such as `temporal.example.org:7233`.
    pub address: Option<String>,
    /// The namespace of the runs.
    pub namespace: Option<String>,
    /// Whether the connection is encrypted. A key and each of the files turn it on.
    pub tls: Option<bool>,
    /// The certificate of the authority that signed the server's certificate, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The certificate of this client, in PEM.
    pub certificate_file: Option<PathBuf>,
    /// The private key of this client, in PEM.
    pub key_file: Option<PathBuf>,
    /// The name in the server's certificate, if it is not the one in the address.
    pub server_name: Option<String>,
    /// The variable with the key of the server's API.
    pub key_env: Option<String>,
    /// The variable with the key that encrypts what the server stores: 64 hexadecimal digits.
    pub encryption_key_env: Option<String>,
}

pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> EngineSettings {
    let Some(mut engines) = SettingsTable::of("engine", ENGINES, node, source, problems) else {
        return EngineSettings::default();
    };
    engines.refuse_in_project(ENGINES, owner, "the server receives your plans and outputs");
    let Value::Object(entries) = &node.value else { return EngineSettings::default() };
    let entry = entries.iter().find(|entry| entry.key == "temporal");
    let table =
        entry.and_then(|entry| SettingsTable::of("engine.temporal", KEYS, &entry.node, source, problems));
    EngineSettings { temporal: table.map(temporal).unwrap_or_default() }
}

fn temporal(mut table: SettingsTable<'_>) -> TemporalSettings {
    let tls = table.flag("tls").map(|tls| tls.value);
    let mut text = |key| table.text(key, not_empty).map(|text| text.value);
    TemporalSettings {
        address: text("address"),
        namespace: text("namespace"),
        tls,
        ca_file: text("ca_file").map(PathBuf::from),
        certificate_file: text("certificate_file").map(PathBuf::from),
        key_file: text("key_file").map(PathBuf::from),
        server_name: text("server_name"),
        key_env: text("key_env"),
        encryption_key_env: text("encryption_key_env"),
    }
}

fn not_empty(text: &str) -> Result<String, &'static str> {
    match text.trim().is_empty() {
        true => Err("this text is empty"),
        false => Ok(text.to_owned()),
    }
}
