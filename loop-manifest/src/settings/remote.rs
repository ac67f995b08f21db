//! `[remote]`: whether addresses are read, and which hosts are allowed.
//!
//! A read reveals its address to a server, and shows the answer to a model. So only the user's own file has this table.

use std::{collections::BTreeSet, ffi::OsString};

use loop_agents::remote::{RemoteHost, RemoteLogin, RemoteReader, S3Access, SecretString, SftpAccess};

use super::table::{SettingsOwner, SettingsTable};
use crate::{Source, diagnostics::Diagnostic, document::Node};

/// The keys of the table.
const KEYS: &[&str] = &["enabled", "allow", "token_host"];

/// The values of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteSettings {
    /// Whether addresses are read. By default they are not.
    pub enabled: Option<bool>,
    /// The hosts that are allowed although they are not on the public internet.
    pub allow: BTreeSet<RemoteHost>,
    /// The host that gets the login of the environment.
    pub token_host: Option<RemoteHost>,
}

/// Addresses are not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("loop reads no addresses, unless you write `enabled = true` under `[remote]` in your own settings")]
pub struct RemoteDisabled;

pub(super) fn read(
    node: &Node,
    source: &Source,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> RemoteSettings {
    let Some(mut table) = SettingsTable::of("remote", KEYS, node, source, problems) else {
        return RemoteSettings::default();
    };
    table.refuse_in_project(KEYS, owner, "a project must not decide which servers your machine asks");
    RemoteSettings {
        enabled: table.flag("enabled").map(|enabled| enabled.value),
        allow: table.list("allow", str::parse).into_iter().map(|host| host.value).collect(),
        token_host: table.text("token_host", str::parse).map(|host| host.value),
    }
}

impl RemoteSettings {
    pub(super) fn reader(
        &self,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<RemoteReader, RemoteDisabled> {
        if self.enabled != Some(true) {
            return Err(RemoteDisabled);
        }
        let variable = |name: &str| {
            lookup(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        let reader = RemoteReader::new().allow(self.allow.iter().cloned());
        let reader = reader.s3(S3Access::from_variables(variable)).sftp(SftpAccess::from_variables(&lookup));
        let login = match (variable("HTTP_BEARER_TOKEN"), variable("HTTP_BASIC_PASSWORD")) {
            (Some(token), _) => Some(RemoteLogin::Bearer(SecretString::from(token))),
            (None, Some(password)) => Some(RemoteLogin::Basic {
                user: variable("HTTP_BASIC_USER").unwrap_or_default(),
                password: SecretString::from(password),
            }),
            (None, None) => None,
        };
        Ok(match (&self.token_host, login) {
            (Some(host), Some(login)) => reader.login(host.clone(), login),
            _ => reader,
        })
    }
}
