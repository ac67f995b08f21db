//! A host that commands may reach.

use std::{fmt, net::IpAddr, str::FromStr};

/// The name or the IP address of a host, with a port. Two spellings of the same host are equal.
///
/// ```
/// use loop_agents::process::sandbox::AllowedHost;
///
/// let host: AllowedHost = "API.example.org.:443".parse()?;
/// assert_eq!(host.to_string(), "api.example.org:443");
/// assert_eq!("[::ffff:10.0.0.1]:80".parse::<AllowedHost>()?, "10.0.0.1:80".parse()?);
/// for wrong in ["example.org", "example.org:0", "127.1:80", "*.org:443", "ann@example.org:80", "::1:80"] {
///     assert!(wrong.parse::<AllowedHost>().is_err(), "{wrong}");
/// }
/// # Ok::<(), loop_agents::process::sandbox::NoAllowedHost>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllowedHost {
    host: String,
    port: u16,
}

/// A text that names no host with a port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host with a port, such as `api.example.org:443` or `[::1]:8080`")]
pub struct NoAllowedHost(String);

impl AllowedHost {
    /// Returns the name in small letters, or the IP address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether the host has this name, in any spelling.
    #[cfg(target_os = "linux")]
    pub(super) fn is_named(&self, name: &str) -> bool {
        known_host(name).as_deref() == Some(self.host())
    }

    /// Returns whether the host has no name.
    #[cfg(target_os = "linux")]
    pub(super) fn is_address(&self) -> bool {
        self.host.parse::<IpAddr>().is_ok()
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for AllowedHost {
    type Err = NoAllowedHost;

    fn from_str(text: &str) -> Result<Self, NoAllowedHost> {
        let parse = || {
            let (host, port) = text.rsplit_once(':')?;
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|port| is_number && *port > 0)?;
            let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            if inner.is_some() != host.contains(':') {
                return None;
            }
            Some(Self { host: known_host(inner.unwrap_or(host))?, port })
        };
        parse().ok_or_else(|| NoAllowedHost(text.to_owned()))
    }
}

/// Returns the one spelling of a host, or `None` if it is neither an IP address nor a name.
fn known_host(text: &str) -> Option<String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    // The system reads `127.1` and `0x7f.1` as addresses.
    let is_number =
        name.rsplit('.').next().is_some_and(|last| last.starts_with(|first: char| first.is_ascii_digit()));
    (name.len() <= 253 && !is_number && name.split('.').all(is_label)).then(|| name.to_ascii_lowercase())
}
