//! Addresses, and which of them a reader may connect to.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use reqwest::Url;

use super::RemoteError;

/// Returns whether a text is an address, of any scheme, and not the path of a file.
///
/// ```
/// use loop_agents::remote::is_address;
/// assert!(is_address("https://example.org/a.md") && is_address("s3://bucket/key"));
/// assert!(!is_address("docs/a.md") && !is_address("a://b://c d") && !is_address("://x"));
/// ```
pub fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && scheme.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.".contains(sign));
    is_scheme && !rest.contains(char::is_whitespace)
}

/// A name or an IP address of a host, without a port. Two texts for the same host are equal.
///
/// ```
/// use loop_agents::remote::RemoteHost;
/// let host: RemoteHost = "::ffff:127.0.0.1".parse()?;
/// assert_eq!(host, "127.1".parse()?);
/// assert_eq!("Docs.Example.org.".parse::<RemoteHost>()?.to_string(), "docs.example.org");
/// assert!("example.org:80".parse::<RemoteHost>().is_err());
/// # Ok::<(), loop_agents::remote::UnknownHost>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteHost(String);

/// A text that is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host: write a name or an IP address, without a scheme, a port or a path")]
pub struct UnknownHost(String);

impl RemoteHost {
    /// Returns the host of an address.
    pub(super) fn of(url: &Url) -> Self {
        let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match name.parse::<IpAddr>() {
            Ok(address) => Self(address.to_canonical().to_string()),
            Err(_) => Self(name.trim_end_matches('.').to_ascii_lowercase()),
        }
    }

    /// Returns the IP address, unless the host has a name.
    pub(super) fn ip(&self) -> Option<IpAddr> {
        self.0.parse().ok()
    }
}

impl fmt::Display for RemoteHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RemoteHost {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        let unknown = || UnknownHost(text.to_owned());
        if let Ok(address) = text.trim_matches(['[', ']']).parse::<IpAddr>() {
            return Ok(Self(address.to_canonical().to_string()));
        }
        let is_name = !text.is_empty() && !text.contains([':', '/', '@', '?', '#', '\\']);
        let url = is_name.then(|| Url::parse(&format!("http://{text}/")).ok()).flatten();
        url.map(|url| Self::of(&url)).ok_or_else(unknown)
    }
}

/// Parses an address that can be read.
///
/// # Errors
/// It is no address, has another scheme, or contains a login.
pub(super) fn parse(text: &str) -> Result<Url, RemoteError> {
    let url = Url::parse(text).map_err(|error| RemoteError::Address(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(RemoteError::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(RemoteError::Login);
    }
    Ok(url)
}

/// Returns an address for display: without its query, which may contain a key.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// Returns whether an IP address belongs to the public internet. An IPv6 address that contains an IPv4 address counts as
/// that address.
///
/// ```
/// use loop_agents::remote::is_public;
/// assert!(is_public("8.8.8.8".parse()?) && !is_public("169.254.169.254".parse()?));
/// assert!(!is_public("::ffff:10.0.0.1".parse()?) && !is_public("64:ff9b::7f00:1".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    // The last two match the addresses of carriers, which also have metadata servers, and of special protocols.
    !matches!(
        address.octets(),
        [0 | 10 | 127 | 224..=255, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [169, 254, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
            | [100, 64..=127, ..]
            // The server of a virtual machine's host at Azure, which has a public address.
            | [168, 63, 129, 16]
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    match parts {
        // A gateway translates this prefix to the IPv4 address at its end.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        // Protocols, tunnels that contain IPv4 addresses, and examples.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}
