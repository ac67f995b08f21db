//! A proxy outside of a sandbox, for commands inside, which can reach nothing else.
//!
//! It connects to the listed hosts only, whatever name a command asks for. It resolves names itself, so that nothing
//! leaves through the names of hosts either.

use std::{io, net::TcpListener, sync::Arc, thread, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpStream, tcp::OwnedReadHalf},
    sync::{Semaphore, oneshot},
    time::timeout,
};

use super::{
    AllowedHost,
    client_hello::{AskedName, asked_name},
    proxy_request::{ProxyRequest, Refusal},
};

/// The most connections at a time.
const CONNECTIONS: usize = 256;

/// The time for the first lines of a request, and for the connection to a host.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most bytes in the first lines of a request.
const MAX_HEAD: usize = 64 * 1024;

/// A proxy on a thread of its own. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    /// Tells the thread to end when it is dropped.
    _stop: oneshot::Sender<()>,
}

impl Proxy {
    /// Serves the connections to this listener.
    ///
    /// # Errors
    /// The system has no thread or no descriptor for it.
    pub(super) fn start(listener: TcpListener, hosts: Vec<AllowedHost>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new().name("sandbox-proxy".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    () = accept(&listener, hosts.into()) => {}
                }
            });
            // A name that is being resolved cannot be given up.
            runtime.shutdown_background();
        })?;
        Ok(Self { _stop: stop })
    }
}

async fn accept(listener: &tokio::net::TcpListener, hosts: Arc<[AllowedHost]>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
        match listener.accept().await {
            Ok((client, _)) => {
                let hosts = Arc::clone(&hosts);
                // A connection that breaks is the command's affair: it sees the end of it.
                tokio::spawn(async move {
                    let _ended = serve(client, &hosts).await;
                    drop(permit);
                });
            }
            // Without free descriptors, another attempt at once would fail too.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn serve(mut client: TcpStream, hosts: &[AllowedHost]) -> io::Result<()> {
    let connected = timeout(PATIENCE, async {
        let request = ProxyRequest::parse(&read_head(&mut client).await?, hosts)?;
        let to = (request.host.host(), request.host.port());
        let server = TcpStream::connect(to).await;
        server.map(|server| (request, server)).map_err(|error| Refusal::unreachable(&error))
    });
    let (request, mut server) = match connected.await.unwrap_or(Err(Refusal::LATE)) {
        Ok(connected) => connected,
        Err(refusal) => {
            client.write_all(refusal.answer().as_bytes()).await?;
            return client.shutdown().await;
        }
    };
    if request.is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    } else {
        server.write_all(&request.content).await?;
    }
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        if request.is_tunnel {
            let first = first_bytes(&mut from_client, request.content, &request.host).await?;
            to_server.write_all(&first).await?;
        }
        copy(&mut from_client, &mut to_server).await?;
        to_server.shutdown().await
    };
    let down = async {
        copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(up, down).map(|_| ())
}

/// Reads the first lines of a request, and the bytes that came with them.
async fn read_head(client: &mut TcpStream) -> Result<Vec<u8>, Refusal> {
    let mut read = Vec::new();
    while !read.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = client.read_buf(&mut read).await.unwrap_or_default();
        if count == 0 || read.len() > MAX_HEAD {
            return Err(Refusal::MALFORMED);
        }
    }
    Ok(read)
}

/// Reads the bytes that a client sends first. If they are TLS, they have to ask for this host: a server of many names
/// would serve another one as well.
async fn first_bytes(
    client: &mut OwnedReadHalf,
    mut read: Vec<u8>,
    host: &AllowedHost,
) -> io::Result<Vec<u8>> {
    loop {
        match asked_name(&read) {
            AskedName::Unknown => {}
            AskedName::NoTls => return Ok(read),
            _ if host.is_address() => return Ok(read),
            AskedName::Named(name) if host.is_named(&name) => return Ok(read),
            AskedName::Unnamed | AskedName::Named(_) => return Err(io::ErrorKind::PermissionDenied.into()),
        }
        if client.read_buf(&mut read).await? == 0 {
            return Ok(read);
        }
    }
}
