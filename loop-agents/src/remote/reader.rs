//! Reads one address.

use std::{
    collections::BTreeSet, fmt, future::Future, io, net::SocketAddr, pin::Pin, sync::Arc, time::Duration,
};

use reqwest::{
    Client, RequestBuilder, Response, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, LOCATION},
    redirect::Policy,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

use super::{
    RemoteContent, RemoteError, RemoteHost,
    address::{is_public, parse, shown},
};
use crate::tls;

/// The most bytes of an address: 256 MiB.
pub const MAX_BYTES: u64 = 256 << 20;

/// The longest time for an address, with all its redirects: 5 minutes.
pub const MAX_TIME: Duration = Duration::from_mins(5);

/// The most redirects.
pub const MAX_REDIRECTS: usize = 10;

/// A server that accepts no connection within this time counts as unreachable.
const CONNECT_TIME: Duration = Duration::from_secs(30);

/// A login for one host.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RemoteLogin {
    /// A token.
    Bearer(SecretString),
    /// A user and a password.
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: SecretString,
    },
}

/// Reads addresses of the public internet, and of hosts that the user allows.
///
/// It resolves each name once, checks all addresses, and connects to one of these. It uses no proxy, because a proxy
/// would resolve the name again.
///
/// # Default
/// No host is allowed beyond the public internet, there is no login, and the limits are [`MAX_BYTES`] and [`MAX_TIME`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use loop_agents::remote::{RemoteError, RemoteReader};
/// let read = RemoteReader::new().read("http://2130706433/admin").await;
/// assert!(matches!(read, Err(RemoteError::NotPublic { .. })));
/// # }
/// ```
#[derive(Clone)]
pub struct RemoteReader {
    allowed: BTreeSet<RemoteHost>,
    login: Option<(RemoteHost, RemoteLogin)>,
    max_bytes: u64,
    max_time: Duration,
    lookup: Arc<Lookup>,
    #[cfg(feature = "s3")]
    pub(super) s3: Option<super::S3Access>,
    #[cfg(feature = "sftp")]
    pub(super) sftp: Option<super::SftpAccess>,
    #[cfg(feature = "sftp")]
    pub(super) supervisor: Option<crate::process::Supervisor>,
}

type LookupResult = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
type Lookup = dyn Fn(String, u16) -> LookupResult + Send + Sync;

impl RemoteReader {
    /// Creates a reader.
    pub fn new() -> Self {
        let lookup = |host: String, port| -> LookupResult {
            Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
        };
        Self {
            allowed: BTreeSet::new(),
            login: None,
            max_bytes: MAX_BYTES,
            max_time: MAX_TIME,
            lookup: Arc::new(lookup),
            #[cfg(feature = "s3")]
            s3: None,
            #[cfg(feature = "sftp")]
            sftp: None,
            #[cfg(feature = "sftp")]
            supervisor: None,
        }
    }

    /// Allows these hosts, also if they are not on the public internet.
    #[must_use]
    pub fn allow(self, hosts: impl IntoIterator<Item = RemoteHost>) -> Self {
        Self { allowed: hosts.into_iter().collect(), ..self }
    }

    /// Sends this login to this host, and to no other. It goes over TLS, or to this machine.
    #[must_use]
    pub fn login(self, host: RemoteHost, login: RemoteLogin) -> Self {
        Self { login: Some((host, login)), ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(self, max_bytes: u64, max_time: Duration) -> Self {
        Self { max_bytes, max_time, ..self }
    }

    /// Reads no other schemes than `http` and `https`.
    #[must_use]
    pub fn web_only(self) -> Self {
        Self {
            #[cfg(feature = "s3")]
            s3: None,
            #[cfg(feature = "sftp")]
            sftp: None,
            ..self
        }
    }

    /// Returns the longest time for an address.
    pub const fn max_time(&self) -> Duration {
        self.max_time
    }

    /// Resolves names in another way.
    #[cfg(test)]
    pub(super) fn resolving(
        self,
        lookup: impl Fn(String, u16) -> LookupResult + Send + Sync + 'static,
    ) -> Self {
        Self { lookup: Arc::new(lookup), ..self }
    }

    /// Reads all of an address.
    ///
    /// # Errors
    /// [`RemoteError`], also if the content is larger than the limit.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn read(&self, address: &str) -> Result<RemoteContent, RemoteError> {
        self.within_time(address, Bound { most: self.max_bytes, is_cut_there: false }).await
    }

    /// Reads at most this many bytes of an address.
    ///
    /// # Errors
    /// [`RemoteError`].
    ///
    /// # Cancel safety
    /// Dropping the future ends the request.
    pub async fn read_start(&self, address: &str, most: u64) -> Result<RemoteContent, RemoteError> {
        self.within_time(address, Bound { most: most.min(self.max_bytes), is_cut_there: true }).await
    }

    async fn within_time(&self, address: &str, bound: Bound) -> Result<RemoteContent, RemoteError> {
        let read = timeout(self.max_time, self.fetch(address, bound)).await;
        read.unwrap_or(Err(RemoteError::TooSlow(self.max_time)))
    }

    async fn fetch(&self, address: &str, bound: Bound) -> Result<RemoteContent, RemoteError> {
        match address.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase()).as_deref() {
            #[cfg(feature = "s3")]
            Some("s3") if let Some(access) = &self.s3 => self.object(access, address, bound).await,
            #[cfg(feature = "sftp")]
            Some("sftp" | "scp") if let Some(access) = &self.sftp => self.file(access, address, bound).await,
            _ => self.follow(address, bound).await,
        }
    }

    async fn follow(&self, address: &str, bound: Bound) -> Result<RemoteContent, RemoteError> {
        let mut url = parse(address)?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.request(&url).await?;
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None => return content(&url, response, bound).await,
            }
        }
        Err(RemoteError::Redirects)
    }

    /// Sends a request to a checked address of the host.
    pub(super) async fn request(&self, url: &Url) -> Result<Response, RemoteError> {
        let host = RemoteHost::of(url);
        let addresses = self.checked(&host, url.port_or_known_default().unwrap_or_default()).await?;
        let is_private =
            url.scheme() == "https" || addresses.iter().all(|address| address.ip().is_loopback());
        let failed = |source: reqwest::Error| RemoteError::Request {
            address: shown(url),
            source: source.without_url(),
        };
        let client = Client::builder()
            .tls_backend_preconfigured(tls::for_address(url).map_err(RemoteError::Tls)?)
            .dns_resolver(Arc::new(Checked(addresses)))
            .connect_timeout(CONNECT_TIME)
            .redirect(Policy::none())
            .no_proxy()
            // Other crates may turn decompression on, and the bounds count the bytes that arrive.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .user_agent(concat!("loop/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(failed)?;
        let request = client.get(url.clone());
        let request = match &self.login {
            Some((owner, login)) if *owner == host && is_private => with_login(request, login),
            _ => request,
        };
        request.send().await.map_err(failed)
    }

    /// Resolves a host, and checks all its addresses.
    pub(super) async fn checked(&self, host: &RemoteHost, port: u16) -> Result<Vec<SocketAddr>, RemoteError> {
        let addresses = match host.ip() {
            Some(ip) => Ok(vec![SocketAddr::new(ip, port)]),
            None => (self.lookup)(host.to_string(), port).await,
        };
        let addresses = addresses.and_then(|found| match found.is_empty() {
            true => Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address")),
            false => Ok(found),
        });
        let addresses = addresses.map_err(|source| RemoteError::Name { host: host.clone(), source })?;
        let other = addresses.iter().map(SocketAddr::ip).find(|address| !is_public(*address));
        match other {
            Some(address) if !self.allowed.contains(host) => {
                Err(RemoteError::NotPublic { host: host.clone(), address })
            }
            _ => Ok(addresses),
        }
    }
}

impl Default for RemoteReader {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RemoteReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteReader")
            .field("allowed", &self.allowed)
            .field("login", &self.login)
            .field("max_bytes", &self.max_bytes)
            .field("max_time", &self.max_time)
            .finish_non_exhaustive()
    }
}

/// The checked addresses of the host of one request. There is no second look at the name.
struct Checked(Vec<SocketAddr>);

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses = self.0.clone();
        Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
    }
}

fn with_login(request: RequestBuilder, login: &RemoteLogin) -> RequestBuilder {
    match login {
        RemoteLogin::Bearer(token) => request.bearer_auth(token.expose_secret()),
        RemoteLogin::Basic { user, password } => request.basic_auth(user, Some(password.expose_secret())),
    }
}

/// Returns where the response leads, if it is a redirect.
fn redirect(url: &Url, response: &Response) -> Result<Option<Url>, RemoteError> {
    let target = header(response, &LOCATION).filter(|_| response.status().is_redirection());
    target.map(|target| next_of(url, &target)).transpose()
}

/// Returns where this target of a redirect leads.
pub(super) fn next_of(url: &Url, target: &str) -> Result<Url, RemoteError> {
    let next = url.join(target).map_err(|error| RemoteError::Address(error.to_string()))?;
    let next = parse(next.as_str())?;
    if url.scheme() == "https" && next.scheme() == "http" {
        return Err(RemoteError::Downgrade(shown(url)));
    }
    Ok(next)
}

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// The most bytes of one read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) most: u64,
    /// Whether a larger content is cut there, and not refused.
    pub(super) is_cut_there: bool,
}

pub(super) async fn content(
    url: &Url,
    mut response: Response,
    bound: Bound,
) -> Result<RemoteContent, RemoteError> {
    let (address, status) = (shown(url), response.status());
    if !status.is_success() {
        return Err(RemoteError::Status { address, status: status.as_u16() });
    }
    if let Some(encoding) = header(&response, &CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
        return Err(RemoteError::Encoded { address, encoding });
    }
    let media_type = header(&response, &CONTENT_TYPE).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let mut content = RemoteContent { address, media_type, bytes: Vec::new(), is_cut: false };
    let most = usize::try_from(bound.most).unwrap_or(usize::MAX);
    // A server may lie about the length, so it only refuses early.
    let mut left_out =
        response.content_length().is_some_and(|length| length > bound.most) && !bound.is_cut_there;
    let failed =
        |source: reqwest::Error| RemoteError::Request { address: shown(url), source: source.without_url() };
    while !left_out && let Some(chunk) = response.chunk().await.map_err(failed)? {
        let room = most - content.bytes.len();
        content.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        left_out = chunk.len() > room;
    }
    if left_out && !bound.is_cut_there {
        return Err(RemoteError::TooLarge { address: content.address, most: bound.most });
    }
    Ok(RemoteContent { is_cut: left_out, ..content })
}
