//! The user's environment: the name of a model, and an address and a key for each vendor.

use std::ffi::OsString;

use loop_agents::chat::{Endpoint, SecretString, Vendor};

/// The variable that names a model where nothing else does.
pub(super) const VARIABLE: &str = "LOOP_MODEL";

/// The variable with the window that the user's Ollama gives to models, in tokens.
const OLLAMA_WINDOW: &str = "OLLAMA_CONTEXT_LENGTH";

/// Returns the window that the variables set for the models of this vendor. A value that is no number above 0 counts as
/// not set, as it does for Ollama.
pub(super) fn window(vendor: Vendor, lookup: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let tokens = lookup(OLLAMA_WINDOW).filter(|_| vendor == Vendor::Ollama)?.parse().ok();
    tokens.filter(|tokens| *tokens > 0)
}

/// The value of a variable. One that is empty counts as not set.
pub(super) fn value(variables: &[(OsString, OsString)], name: &str) -> Option<String> {
    let (_, value) = variables.iter().find(|(key, _)| key == name)?;
    value.to_str().map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// The environment's data on a vendor.
#[derive(Debug, Clone, Default)]
pub(super) struct VendorAccess {
    /// The address, if it differs from the vendor's own.
    pub(super) base_url: Option<String>,
    pub(super) key: Option<SecretString>,
}

/// The variables of a vendor.
pub(super) struct VendorVariables {
    pub(super) url: &'static str,
    /// The first that is set counts.
    pub(super) keys: &'static [&'static str],
}

/// Returns the vendor's usual variable names.
pub(super) const fn variables(vendor: Vendor) -> VendorVariables {
    match vendor {
        Vendor::Anthropic => VendorVariables { url: "ANTHROPIC_BASE_URL", keys: &["ANTHROPIC_API_KEY"] },
        Vendor::Gemini => {
            VendorVariables { url: "GOOGLE_GEMINI_BASE_URL", keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"] }
        }
        Vendor::Ollama => VendorVariables { url: "OLLAMA_HOST", keys: &["OLLAMA_API_KEY"] },
        // OpenAI's protocol, which most other servers also speak.
        _ => VendorVariables { url: "OPENAI_BASE_URL", keys: &["OPENAI_API_KEY"] },
    }
}

impl VendorAccess {
    /// Reads the variables through `lookup`.
    pub(super) fn of(vendor: Vendor, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let VendorVariables { url, keys } = variables(vendor);
        let base_url = lookup(url).map(|url| address(vendor, url.trim()));
        Self { base_url, key: keys.iter().find_map(|key| lookup(key)).map(SecretString::from) }
    }

    /// A server of this vendor's kind that is reached so.
    pub(super) fn endpoint(self, vendor: Vendor) -> Endpoint {
        let mut endpoint = Endpoint::new(vendor);
        if let Some(url) = self.base_url {
            endpoint = endpoint.base_url(url);
        }
        match self.key {
            Some(key) => endpoint.key(key),
            None => endpoint,
        }
    }
}

/// The address as we take it, of one as the vendor's own programs take it.
fn address(vendor: Vendor, written: &str) -> String {
    let written = written.trim_end_matches('/');
    let version = match vendor {
        Vendor::Anthropic => "/v1",
        Vendor::Gemini => "/v1beta",
        Vendor::Ollama => return ollama(written),
        _ => return written.to_owned(),
    };
    // Their own programs add the version.
    if written.ends_with(version) { written.to_owned() } else { format!("{written}{version}") }
}

/// `OLLAMA_HOST` may be a name, a port, both, or an address; its usual port is known. A server may listen at
/// an address at which it cannot be reached.
fn ollama(written: &str) -> String {
    let (scheme, rest, port) = match written.split_once("://") {
        None => ("http", written, Some("11434")),
        // As with every address.
        Some((scheme, rest)) => (scheme, rest, None),
    };
    let (host, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
    let bracketed = host.rfind(']').unwrap_or(0);
    let (name, written_port) = match host[bracketed..].rfind(':').map(|at| host.split_at(bracketed + at)) {
        Some((name, port)) => (name, Some(&port[1..])),
        None => (host, None),
    };
    let name = match name {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        name => name,
    };
    match written_port.or(port) {
        Some(port) => format!("{scheme}://{name}:{port}{path}"),
        None => format!("{scheme}://{name}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_the_vendors_own_programs_take_it() {
        for (vendor, written, meant) in [
            (Vendor::OpenAi, "http://localhost:8080/v1", "http://localhost:8080/v1"),
            (Vendor::Anthropic, "https://gateway/anthropic", "https://gateway/anthropic/v1"),
            (Vendor::Anthropic, "https://gateway/v1/", "https://gateway/v1"),
            (Vendor::Gemini, "https://gateway", "https://gateway/v1beta"),
            (Vendor::Ollama, "box", "http://box:11434"),
            (Vendor::Ollama, "box:80", "http://box:80"),
            (Vendor::Ollama, ":8000", "http://127.0.0.1:8000"),
            (Vendor::Ollama, "0.0.0.0", "http://127.0.0.1:11434"),
            (Vendor::Ollama, "[::]:8000", "http://[::1]:8000"),
            (Vendor::Ollama, "https://box/ollama", "https://box/ollama"),
        ] {
            assert_eq!(address(vendor, written.trim_end_matches('/')), meant, "{written}");
        }
    }
}
