//! Relays a request to its server, and the reply back, within bounds.
//!
//! The `genai` crate makes its own connection and shows nobody the bytes. It keeps all of them in memory, and it reads
//! a long event in quadratic time. So we give it a connection that ends in this process. The relay sends the request on
//! to the server, and passes back the reply one whole event at a time, with a limit on the length of each.
//!
//! Only this process can use that connection: the relay refuses a peer with another process id.

use std::{
    future::poll_fn,
    io,
    path::PathBuf,
    pin::{Pin, pin},
    process,
    task::{Context, Poll},
};

use reqwest::{
    Method, Response, StatusCode, Url,
    header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
};

use super::{
    super::Vendor,
    GenaiError,
    call_numbers::CallNumbers,
    event_splitter::EventSplitter,
    reply_bounds::{CrossedBound, MAX_BODY_BYTES},
    reported_usage::ReportedUsage,
    window,
};

/// How many bytes of a server's error we read: some servers answer with a page of HTML.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// The server at the other end.
#[derive(Clone)]
pub(super) struct Upstream {
    pub(super) http: reqwest::Client,
    /// The server's address. The paths come from the requests.
    pub(super) origin: Url,
    pub(super) vendor: Vendor,
    /// The window that requests for a reply ask for, if this server wants to know it.
    pub(super) window: Option<u64>,
}

/// An obstacle that stopped a request or its reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum RelayError {
    #[error(transparent)]
    Http(reqwest::Error),
    #[error(transparent)]
    CrossedBound(#[from] CrossedBound),
    #[error("cannot relay the request within this process")]
    Local(#[from] io::Error),
}

impl From<reqwest::Error> for RelayError {
    /// Removes the URL, which may contain a key.
    fn from(error: reqwest::Error) -> Self {
        Self::Http(error.without_url())
    }
}

/// The local end of a connection, for one request.
pub(super) struct Relay {
    listener: UnixListener,
    /// The address that the other end connects to.
    pub(super) name: PathBuf,
    /// The folder of the socket, if it needs one.
    _folder: Option<tempfile::TempDir>,
}

impl Relay {
    pub(super) fn open() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use std::sync::atomic::{AtomicU64, Ordering};

            // An abstract name has no file: nobody can put another socket in its place while it is bound.
            static OPENED: AtomicU64 = AtomicU64::new(0);
            loop {
                let number = OPENED.fetch_add(1, Ordering::Relaxed);
                let name = PathBuf::from(format!("\0loop-relay-{}-{number}", process::id()));
                match UnixListener::bind(&name) {
                    Ok(listener) => return Ok(Self { listener, name, _folder: None }),
                    Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                    Err(error) => return Err(error),
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let folder = tempfile::Builder::new().prefix("loop-relay-").tempdir()?;
            let name = folder.path().join("socket");
            Ok(Self { listener: UnixListener::bind(&name)?, name, _folder: Some(folder) })
        }
    }

    /// Passes one request to the server, and its reply back.
    pub(super) async fn pass(self, upstream: Upstream, reported: ReportedUsage) -> Result<(), RelayError> {
        let mut socket = self.accept().await?;
        let mut request = IncomingRequest::read(&mut socket).await?;
        let is_stream = request.method == Method::POST;
        if let Some(tokens) = upstream.window.filter(|_| is_stream) {
            window::add_to(&mut request.body, tokens);
        }
        let response = request.send(&upstream).await?;
        socket.write_all(&head(&response)).await?;
        let status = response.status();
        let passed = match status {
            StatusCode::OK if is_stream => stream(response, upstream.vendor, &reported, &mut socket).await,
            _ => body(response, status, &mut socket).await,
        };
        passed?;
        Ok(socket.write_all(b"0\r\n\r\n").await?)
    }

    async fn accept(&self) -> io::Result<UnixStream> {
        let own = i32::try_from(process::id()).ok();
        loop {
            let (socket, _) = self.listener.accept().await?;
            // A system that does not report the peer's process id has the socket in a folder of this user.
            if socket.peer_cred()?.pid().is_none_or(|peer| Some(peer) == own) {
                return Ok(socket);
            }
        }
    }
}

/// Passes on whole events.
async fn stream(
    mut response: Response,
    vendor: Vendor,
    reported: &ReportedUsage,
    to: &mut UnixStream,
) -> Result<(), RelayError> {
    let (mut events, mut numbers) = (EventSplitter::of(vendor), CallNumbers::of(vendor));
    while let Some(bytes) = response.chunk().await? {
        let whole = events.feed(&bytes)?;
        reported.feed(vendor, &whole);
        chunk(to, &numbers.without_gaps(&whole)?).await?;
    }
    let rest = events.finish();
    reported.feed(vendor, &rest);
    Ok(chunk(to, &numbers.without_gaps(&rest)?).await?)
}

/// Passes on a body that the client reads as a whole, or the beginning of an error.
async fn body(mut response: Response, status: StatusCode, to: &mut UnixStream) -> Result<(), RelayError> {
    let max = if status.is_success() { MAX_BODY_BYTES } else { MAX_ERROR_BYTES };
    let mut left = max;
    while let Some(bytes) = response.chunk().await? {
        chunk(to, &bytes[..bytes.len().min(left)]).await?;
        match left.checked_sub(bytes.len()) {
            Some(rest) => left = rest,
            None if status.is_success() => return Err(CrossedBound::Body.into()),
            None => break,
        }
    }
    Ok(())
}

/// Writes a piece of a body whose length is unknown in advance.
async fn chunk(to: &mut UnixStream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        // An empty piece would end the body.
        return Ok(());
    }
    to.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    to.write_all(bytes).await?;
    to.write_all(b"\r\n").await
}

/// Builds the head of the response for the client.
fn head(response: &Response) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} -\r\n", response.status().as_u16()).into_bytes();
    let own = [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING];
    // The reader refuses a head with more than a hundred headers.
    for (name, value) in response.headers().iter().filter(|(name, _)| !own.contains(name)).take(90) {
        head.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    head.extend_from_slice(b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    head
}

/// A request as the `genai` crate made it.
struct IncomingRequest {
    method: Method,
    /// Its path and query.
    target: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl IncomingRequest {
    async fn read(socket: &mut UnixStream) -> io::Result<Self> {
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end;
            }
            if socket.read_buf(&mut read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let mut body = read.split_off(end + 4);
        let (mut request, length) = Self::of_head(&read[..end]).ok_or(io::ErrorKind::InvalidData)?;
        while body.len() < length {
            if socket.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        request.body = body;
        Ok(request)
    }

    /// Parses this head, and returns the request and the length of its body.
    fn of_head(head: &[u8]) -> Option<(Self, usize)> {
        let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut first = std::str::from_utf8(lines.next()?).ok()?.split(' ');
        let (method, target) = (first.next()?.parse().ok()?, first.next()?.to_owned());
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
            let name = HeaderName::from_bytes(name).ok()?;
            headers.append(name, HeaderValue::from_bytes(value[1..].trim_ascii()).ok()?);
        }
        let length = headers.remove(CONTENT_LENGTH);
        let length = length.map_or(Some(0), |length| length.to_str().ok()?.parse().ok())?;
        headers.remove(HOST);
        headers.remove(CONNECTION);
        Some((Self { method, target, headers, body: Vec::new() }, length))
    }

    async fn send(self, upstream: &Upstream) -> reqwest::Result<Response> {
        let mut url = upstream.origin.clone();
        let (path, query) = self.target.split_once('?').map_or((&*self.target, None), |(p, q)| (p, Some(q)));
        url.set_path(path);
        url.set_query(query);
        upstream.http.request(self.method, url).headers(self.headers).body(self.body).send().await
    }
}

/// Creates a client that sends all requests to this relay.
pub(super) fn client(relay: &Relay) -> Result<genai::Client, GenaiError> {
    let problem = |error: &dyn std::fmt::Display| GenaiError::Client(error.to_string());
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(
            crate::tls::without_certificates().map_err(|error| super::endpoint::no_tls(&error))?,
        )
        .unix_socket(relay.name.clone())
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| problem(&error))?;
    genai::Client::builder().with_reqwest(http).build().map_err(|error| problem(&error))
}

/// The future of a relay, which runs until the relay ends or stops.
type Work = Pin<Box<dyn Future<Output = Result<(), RelayError>> + Send>>;

/// A running relay, and the obstacle that stopped it.
pub(super) struct RunningRelay {
    work: Option<Work>,
    error: Option<RelayError>,
    reported: ReportedUsage,
}

impl RunningRelay {
    pub(super) fn new(relay: Relay, upstream: Upstream) -> Self {
        let reported = ReportedUsage::default();
        let work = relay.pass(upstream, reported.clone());
        Self { work: Some(Box::pin(work)), error: None, reported }
    }

    /// Returns the usage that the reply has reported so far.
    pub(super) const fn reported(&self) -> &ReportedUsage {
        &self.reported
    }

    fn poll(&mut self, cx: &mut Context<'_>) {
        if let Some(work) = &mut self.work
            && let Poll::Ready(result) = work.as_mut().poll(cx)
        {
            self.work = None;
            self.error = result.err();
        }
    }

    /// Runs the relay while it waits for `other`.
    pub(super) async fn beside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        poll_fn(|cx| {
            self.poll(cx);
            other.as_mut().poll(cx)
        })
        .await
    }

    /// Takes the obstacle that stopped the relay. The client has seen only that the connection ended.
    pub(super) fn take_error(&mut self) -> Option<RelayError> {
        self.error.take()
    }
}
