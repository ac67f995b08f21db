//! The servers that may have models: those that the settings and the variables name, and those that listen at a default
//! address of this machine.

use std::{ffi::OsString, thread};

use loop_agents::{
    chat::{Endpoint, Vendor},
    facts::ListedModel,
};

use super::{
    blocking,
    error::ModelChoiceError,
    vendor::{VendorAccess, value},
};
use crate::settings::Settings;

/// Servers with a default address on this machine, besides Ollama: the name that precedes the `:` in the name of a
/// model, and the address.
pub(super) const LOCAL: [(&str, &str); 2] =
    [("llamafile", "http://127.0.0.1:8080/v1"), ("llamacpp", "http://127.0.0.1:8081/v1")];

/// A server, and the beginning of the names of its models.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) vendor: Vendor,
    pub(super) access: VendorAccess,
    /// The text before the `:`; `None` if only a bare name selects its models.
    prefix: Option<&'static str>,
}

impl Server {
    pub(super) fn endpoint(&self) -> Endpoint {
        self.access.clone().endpoint(self.vendor)
    }
}

/// A model that a server has.
#[derive(Debug, Clone)]
pub(super) struct ServedModel {
    pub(super) server: Server,
    pub(super) listed: ListedModel,
}

impl ServedModel {
    /// Returns the name by which it can be chosen.
    pub(super) fn name(&self) -> String {
        match self.server.prefix {
            Some(prefix) => format!("{prefix}:{}", self.listed.id),
            None => self.listed.id.clone(),
        }
    }

    /// Returns the name with the address of the server.
    pub(super) fn described(&self) -> String {
        let address = self.server.endpoint().shown_address();
        format!("{} ({address})", self.name())
    }
}

/// Returns the servers that can be asked for their models.
pub(super) fn known(settings: &Settings, variables: &[(OsString, OsString)]) -> Vec<Server> {
    let lookup = |name: &str| value(variables, name);
    let ollama = VendorAccess::of(Vendor::Ollama, lookup);
    let mut servers = vec![Server { vendor: Vendor::Ollama, access: ollama, prefix: Some("ollama") }];
    let open_ai = VendorAccess::of(Vendor::OpenAi, lookup);
    if open_ai.base_url.is_some() {
        servers.push(Server { vendor: Vendor::OpenAi, access: open_ai, prefix: Some("openai") });
    }
    let named = settings.user.tables.models.values();
    for model in named.filter(|model| matches!(model.model.vendor, Vendor::OpenAi | Vendor::Ollama)) {
        let Some(url) = &model.base_url else { continue };
        let key = model.key_env.as_deref().and_then(lookup).map(Into::into);
        let access = VendorAccess { base_url: Some(url.clone()), key };
        servers.push(Server { vendor: model.model.vendor, access, prefix: None });
    }
    for (prefix, url) in LOCAL {
        let access = VendorAccess { base_url: Some(url.to_owned()), key: None };
        servers.push(Server { vendor: Vendor::OpenAi, access, prefix: Some(prefix) });
    }
    let mut addresses = Vec::new();
    servers.retain(|server| {
        let address = server.endpoint().shown_address();
        let is_new = !addresses.contains(&address);
        addresses.push(address);
        is_new
    });
    servers
}

/// Returns the models of these servers, in the order of the servers. A server that does not answer within two seconds
/// has none.
pub(super) fn served(servers: &[Server], now: &str) -> Result<Vec<ServedModel>, ModelChoiceError> {
    let list = |server: &Server| {
        let listed = blocking::ask(server.endpoint().listed(now)).map_err(ModelChoiceError::Runtime)?;
        let models = listed.and_then(Result::ok).unwrap_or_default().into_iter();
        Ok(models.map(|listed| ServedModel { server: server.clone(), listed }).collect::<Vec<_>>())
    };
    let answers = thread::scope(|scope| {
        let asked: Vec<_> = servers.iter().map(|server| scope.spawn(|| list(server))).collect();
        let panicked = || Err(ModelChoiceError::Runtime(std::io::Error::other("a thread panicked")));
        asked.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect::<Vec<_>>()
    });
    Ok(answers.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
