//! Pages of a model server that are not replies: its models, and their properties.

use std::net::IpAddr;

use reqwest::Method;
use secrecy::ExposeSecret;
use serde_json::Value;

use super::{
    super::{ModelError, ModelErrorKind, Vendor},
    Endpoint, GenaiError,
    endpoint::shown,
    errors::{refused, stopped, too_large},
    relay::RelayError,
    reply_bounds::{CrossedBound, MAX_BODY_BYTES},
};

/// Where a server is, as far as its address shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerLocation {
    /// On this machine.
    ThisMachine,
    /// On a private network.
    Private,
    /// On a public network.
    Public,
}

/// Ends of names that only a private network has.
const PRIVATE_ENDS: [&str; 5] = [".local", ".lan", ".internal", ".home.arpa", ".localdomain"];

impl ServerLocation {
    fn of(host: &str) -> Self {
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        if let Ok(address) = host.parse::<IpAddr>() {
            return match address.to_canonical() {
                address if address.is_loopback() => Self::ThisMachine,
                IpAddr::V4(address) if address.is_private() || address.is_link_local() => Self::Private,
                IpAddr::V6(address) if address.is_unique_local() || address.is_unicast_link_local() => {
                    Self::Private
                }
                _ => Self::Public,
            };
        }
        if host == "localhost" || host.ends_with(".localhost") {
            return Self::ThisMachine;
        }
        // A name without a dot is one of the local network.
        let is_private = !host.contains('.') || PRIVATE_ENDS.iter().any(|end| host.ends_with(end));
        if is_private { Self::Private } else { Self::Public }
    }
}

impl Endpoint {
    /// Returns the vendor whose protocol the server uses.
    pub const fn vendor(&self) -> Vendor {
        self.vendor
    }

    /// Returns whether the server is not the vendor's own.
    pub fn has_own_address(&self) -> bool {
        let own = Self::new(self.vendor).address().ok();
        self.address().ok() != own
    }

    /// Returns where the server is.
    pub fn location(&self) -> ServerLocation {
        let host = self.address().ok().and_then(|address| address.host_str().map(str::to_owned));
        ServerLocation::of(host.as_deref().unwrap_or_default())
    }

    /// Returns the port of the server, if the server is on this machine.
    pub fn local_port(&self) -> Option<u16> {
        let address = self.address().ok().filter(|_| self.location() == ServerLocation::ThisMachine);
        address.and_then(|address| address.port_or_known_default())
    }

    /// Returns whether somebody between here and the server could read the conversation: the connection has no TLS, and
    /// the server is on a public network.
    pub fn is_exposed(&self) -> bool {
        let is_plain = self.address().is_ok_and(|address| address.scheme() == "http");
        is_plain && self.location() == ServerLocation::Public
    }

    /// Returns the address without its login and its query.
    pub fn shown_address(&self) -> String {
        self.address().map_or_else(|_| String::new(), |address| shown(address.as_str()))
    }

    /// Returns the JSON of a page. `path` is relative to the address: `models`, `../props`. With a `body` it is a
    /// request with that body.
    ///
    /// # Errors
    /// [`GenaiError`] for an invalid address, for an error of the server, and for a page that is not JSON.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub(crate) async fn page(&self, path: &str, body: Option<&Value>) -> Result<Value, GenaiError> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut text = Vec::new();
        self.stream(method, path, body, |bytes| {
            text.extend_from_slice(bytes);
            text.len() <= MAX_BODY_BYTES
        })
        .await?;
        serde_json::from_slice(&text).map_err(|error| self.unreadable(&error))
    }

    /// Sends a request, and passes the body of the answer to `listener` in pieces, until that returns false because the
    /// body is too large.
    ///
    /// # Errors
    /// [`GenaiError`] for an invalid address, for an error of the server, and for a body that is too large.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub(crate) async fn stream(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        mut listener: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), GenaiError> {
        let address = self.address()?;
        let name = shown(address.as_str());
        let mut url = address.join(path).map_err(|error| GenaiError::Client(error.to_string()))?;
        url.set_query(address.query());
        let mut request = self.upstream(&address)?.http.request(method, url);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let failed = |error: ModelError| GenaiError::Server(self.conceal(&name, error));
        let unreached = |error: reqwest::Error| failed(stopped(&name, RelayError::from(error), false));
        let mut response = request.send().await.map_err(unreached)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut refusal = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(unreached)? {
            let fits = if status.is_success() {
                listener(&bytes)
            } else {
                refusal.extend_from_slice(&bytes);
                refusal.len() <= MAX_BODY_BYTES
            };
            if !fits {
                return Err(failed(too_large(&name, CrossedBound::Body)));
            }
        }
        if !status.is_success() {
            let text = String::from_utf8_lossy(&refusal);
            return Err(failed(refused(&name, status.as_u16(), &headers, &text)));
        }
        Ok(())
    }

    /// Builds the error for an answer that is not what the protocol says.
    pub(crate) fn unreadable(&self, problem: &dyn std::fmt::Display) -> GenaiError {
        let name = self.shown_address();
        let error = ModelError::new(&*name, ModelErrorKind::Unreadable, problem.to_string());
        GenaiError::Server(self.conceal(&name, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_where_the_server_is() {
        for (url, location) in [
            ("http://localhost:11434", ServerLocation::ThisMachine),
            ("http://127.0.0.9", ServerLocation::ThisMachine),
            ("http://[::1]:8080", ServerLocation::ThisMachine),
            ("http://box:8080", ServerLocation::Private),
            ("http://box.local", ServerLocation::Private),
            ("http://192.168.1.5", ServerLocation::Private),
            ("http://[fd00::1]", ServerLocation::Private),
            ("http://8.8.8.8", ServerLocation::Public),
            ("http://[::ffff:8.8.8.8]", ServerLocation::Public),
            ("http://models.example.com", ServerLocation::Public),
        ] {
            let endpoint = Endpoint::new(Vendor::OpenAi).base_url(url);
            assert_eq!(
                (endpoint.location(), endpoint.is_exposed()),
                (location, location == ServerLocation::Public)
            );
            assert!(!Endpoint::new(Vendor::OpenAi).base_url(url.replace("http:", "https:")).is_exposed());
        }
    }
}
