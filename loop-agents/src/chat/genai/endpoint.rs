//! The address of a model server.

use std::{fmt, time::Duration};

use genai::{
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint as Address},
};
use reqwest::{Url, redirect::Policy};
use secrecy::{ExposeSecret, SecretString};

use super::{
    super::{ModelError, Vendor},
    errors::{model_error, stopped},
    relay::{self, Relay, RunningRelay, Upstream},
};
use crate::tls;

impl Vendor {
    pub(super) const fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
            Self::Ollama => AdapterKind::Ollama,
        }
    }

    /// Returns the default path of the protocol, for an address without a path.
    const fn root(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "v1/",
            Self::Gemini => "v1beta/",
            Self::Ollama => "",
        }
    }

    const fn needs_key(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini)
    }
}

/// A model server, and how to connect to it.
///
/// The system decides which certificates TLS accepts. On Linux it also reads the variables `SSL_CERT_FILE` and
/// `SSL_CERT_DIR`. The endpoint reads no other variable.
///
/// # Default
/// The vendor's own [address](Vendor::default_url), no key, no proxy.
///
/// ```
/// use loop_agents::chat::{Endpoint, SecretString, Vendor};
/// let endpoint = Endpoint::new(Vendor::Anthropic).key(SecretString::from("sk-1234"));
/// assert!(!format!("{endpoint:?}").contains("sk-1234"));
/// ```
#[derive(Clone)]
pub struct Endpoint {
    pub(super) vendor: Vendor,
    base_url: String,
    pub(super) key: Option<SecretString>,
    proxy: Option<String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("vendor", &self.vendor)
            .field("base_url", &shown(&self.base_url))
            .field("key", &self.key)
            .field("proxy", &self.proxy.as_deref().map(shown))
            .finish()
    }
}

/// Returns the address without possible secrets, namely its login and its query. The address may be invalid.
pub(super) fn shown(address: &str) -> String {
    let (scheme, rest) =
        address.split_once("://").map_or((None, address), |(scheme, rest)| (Some(scheme), rest));
    let (login, rest) = rest.rsplit_once('@').map_or((None, rest), |(login, rest)| (Some(login), rest));
    // This `@` is in a query, and the text after it is a part of a value.
    let rest = if login.is_some_and(|login| login.contains(['?', '#'])) { "" } else { rest };
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let hidden = if path.len() < rest.len() || login.is_some() { " (parts of it are hidden)" } else { "" };
    format!("{}{path}{hidden}", scheme.map(|scheme| format!("{scheme}://")).unwrap_or_default())
}

/// A model that cannot be used, for example because of its address or its key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenaiError {
    /// The address is invalid.
    #[error("`{url}` is not the address of a server: {problem}; write it as `https://host/path`")]
    Url {
        /// The address, without its login and its query.
        url: String,
        /// The problem with the address.
        problem: String,
    },
    /// The vendor requires a key.
    #[error("{vendor:?} needs an API key, but none was given")]
    NoKey {
        /// The vendor.
        vendor: Vendor,
    },
    /// The HTTP client cannot be set up.
    #[error("cannot prepare connections: {0}")]
    Client(String),
    /// The server did not answer.
    #[error(transparent)]
    Server(ModelError),
}

impl Endpoint {
    /// Creates an endpoint at the vendor's own server.
    pub fn new(vendor: Vendor) -> Self {
        Self { vendor, base_url: vendor.default_url().to_owned(), key: None, proxy: None }
    }

    /// Uses another server that speaks the same protocol. An address without a path gets the usual one: `/v1`, or
    /// `/v1beta` for Gemini.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// Sets the key.
    #[must_use]
    pub fn key(mut self, key: SecretString) -> Self {
        self.key = Some(key);
        self
    }

    /// Connects through this proxy, such as `http://proxy:3128`. It ignores proxy variables of the environment.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// Returns the names of the server's models. You can also use it to check that the server responds.
    ///
    /// # Errors
    /// [`GenaiError`] for an invalid address, a missing key, or an error of the server.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn models(&self) -> Result<Vec<String>, GenaiError> {
        let address = self.address()?;
        let upstream = self.upstream(&address)?;
        let target = (as_base(&local(&address)), self.auth(&address)?);
        let relay = Relay::open().map_err(|error| GenaiError::Client(error.to_string()))?;
        let client = relay::client(&relay)?;
        let mut relay = RunningRelay::new(relay, upstream);
        let listed = relay.beside(client.all_model_names(self.vendor.adapter(), target)).await;
        listed.map_err(|error| {
            let name = shown(address.as_str());
            let error = match relay.take_error() {
                Some(error) => stopped(&name, error, false),
                None => model_error(&name, &error, false),
            };
            GenaiError::Server(self.conceal(&name, error))
        })
    }

    /// Removes the key and the address's secrets from the error, because some servers repeat them.
    pub(super) fn conceal(&self, model: &str, error: ModelError) -> ModelError {
        let key = self.key.as_ref().map(|key| key.expose_secret().to_owned());
        let address = Url::parse(&self.base_url).ok();
        let login = address.iter().flat_map(|url| [url.password().unwrap_or(""), url.username()]);
        let query = address.iter().filter_map(Url::query);
        let values = query
            .flat_map(|query| query.split('&'))
            .map(|pair| pair.split_once('=').map_or(pair, |(_, it)| it));
        // Shorter secrets would match inside ordinary words.
        let parts = login.chain(values).map(str::to_owned);
        let secrets: Vec<_> = key.into_iter().chain(parts).filter(|secret| secret.len() >= 6).collect();
        let message = error.message();
        if !secrets.iter().any(|secret| message.contains(secret)) {
            return error;
        }
        let message =
            secrets.iter().fold(message.to_owned(), |told, secret| told.replace(secret, "[the key]"));
        ModelError::new(model, error.kind(), message)
    }

    /// Returns the address with a path and a final `/`, so that further segments can be joined to it.
    pub(super) fn address(&self) -> Result<Url, GenaiError> {
        let bad = |problem: String| GenaiError::Url { url: shown(&self.base_url), problem };
        let mut url = Url::parse(&self.base_url).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it does not begin with `http://` or `https://`".to_owned()));
        }
        let path = match url.path() {
            "/" => format!("/{}", self.vendor.root()),
            path => format!("{}/", path.trim_end_matches('/')),
        };
        url.set_path(&path);
        Ok(url)
    }

    pub(super) fn auth(&self, address: &Url) -> Result<AuthData, GenaiError> {
        match &self.key {
            Some(key) => Ok(AuthData::from_single(key.expose_secret())),
            None if self.vendor.needs_key() => Err(GenaiError::NoKey { vendor: self.vendor }),
            // Without a key the request has no header for one, because some servers refuse an empty key.
            None if self.vendor == Vendor::OpenAi => {
                let url = local(address)
                    .join("chat/completions")
                    .map_err(|error| GenaiError::Client(error.to_string()))?;
                Ok(AuthData::RequestOverride { url: url.into(), headers: genai::Headers::default() })
            }
            None => Ok(AuthData::None),
        }
    }

    /// Creates the client for the server at this address.
    pub(super) fn upstream(&self, address: &Url) -> Result<Upstream, GenaiError> {
        let problem = |error: &dyn std::fmt::Display| GenaiError::Client(error.to_string());
        let mut http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::for_address(address).map_err(|error| no_tls(&error))?)
            .connect_timeout(CONNECT_TIME)
            // No vendor redirects, and a redirect could send the key to another server.
            .redirect(Policy::none())
            .no_proxy();
        if let Some(proxy) = &self.proxy {
            http = http.proxy(reqwest::Proxy::all(proxy).map_err(|error| problem(&error.without_url()))?);
        }
        let http = http.build().map_err(|error| problem(&error))?;
        Ok(Upstream { http, origin: address.clone(), vendor: self.vendor, window: None })
    }
}

/// A server that accepts no connection within this time counts as unreachable.
const CONNECT_TIME: Duration = Duration::from_secs(30);

pub(super) fn no_tls(error: &rustls::Error) -> GenaiError {
    GenaiError::Client(format!("cannot load the TLS certificates of the system: {error}"))
}

/// Returns the address for the `genai` crate. It uses no TLS, because it leads to the [`Relay`], which makes the real
/// connection.
pub(super) fn local(address: &Url) -> Url {
    let mut local = address.clone();
    // This fails only for schemes that an endpoint never has.
    let _ = local.set_scheme("http");
    local
}

/// Converts the address to the type that the adapters take.
pub(super) fn as_base(address: &Url) -> Address {
    Address::from_owned(address.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_path_and_an_end() {
        let address = |vendor, url: &str| Endpoint::new(vendor).base_url(url).address().unwrap().to_string();
        assert_eq!(address(Vendor::OpenAi, "http://localhost:8080"), "http://localhost:8080/v1/");
        assert_eq!(address(Vendor::OpenAi, "https://gateway/llm/v2"), "https://gateway/llm/v2/");
        assert_eq!(address(Vendor::Anthropic, "https://gateway/"), "https://gateway/v1/");
        assert_eq!(address(Vendor::Gemini, "https://gateway"), "https://gateway/v1beta/");
        assert_eq!(address(Vendor::Ollama, "http://box:11434"), "http://box:11434/");
        for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini, Vendor::Ollama] {
            assert_eq!(address(vendor, vendor.default_url()), vendor.default_url());
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in ["localhost:8080", "", "ftp://host/", "http://"] {
            let error = Endpoint::new(Vendor::OpenAi).base_url(url).address().unwrap_err().to_string();
            assert!(error.contains("is not the address of a server"), "{error}");
        }
    }
}
