//! Attacks on the checks of addresses, against a server on this machine.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{html, *};

/// A server that gives the same answer to each request, and remembers the requests.
struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

/// The end of an answer.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Close,
    /// The same bytes again and again.
    Repeat,
    /// Nothing more, and the connection stays open.
    Silence,
}

impl Server {
    async fn start(answer: impl Into<Vec<u8>>, end: End) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let (answer, heard) = (answer.into(), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), end, Arc::clone(&heard)));
            }
        });
        Self { address, requests }
    }

    /// Starts a server that answers before it reads anything.
    async fn start_at_once(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                // The client may have gone.
                let _ = stream.write_all(&answer).await;
            }
        });
        Self { address, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answer: Vec<u8>, end: End, heard: Arc<Mutex<Vec<String>>>) {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read > 0) {
        request.extend(byte);
    }
    heard.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
    while stream.write_all(&answer).await.is_ok() && end == End::Repeat {}
    if end == End::Silence {
        std::future::pending::<()>().await;
    }
}

fn page(headers: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{headers}connection: close\r\n\r\n{body}")
}

fn redirect_to(target: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

fn local() -> RemoteReader {
    RemoteReader::new().allow(["127.0.0.1".parse().unwrap()])
}

#[tokio::test]
async fn no_notation_of_a_local_address_passes() {
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "１２７.0.0.1",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "192.168.0.1",
        "255.255.255.255",
    ] {
        let error = RemoteReader::new().read(&format!("http://{host}:9/")).await.unwrap_err();
        assert!(matches!(error, RemoteError::NotPublic { .. }), "{host}: {error:?}");
    }
    for (address, expected) in [
        ("http://example.org@127.0.0.1/", "contains a login"),
        ("http://user:secret@example.org/", "contains a login"),
        ("file:///etc/passwd", "not `file`"),
        ("gopher://127.0.0.1/", "not `gopher`"),
        ("http://", "not an address"),
    ] {
        let said = RemoteReader::new().read(address).await.unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
    assert!(is_public("2606:4700::1111".parse().unwrap()) && is_public("1.1.1.1".parse().unwrap()));
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_connection_goes_to_the_checked_address() {
    let server = Server::start(page("", "hello"), End::Close).await;
    let (asked, to) = (Arc::new(AtomicUsize::new(0)), server.address);
    let counted = Arc::clone(&asked);
    let reader = RemoteReader::new().allow(["files.test".parse().unwrap()]).resolving(move |_, _| {
        // The second answer would lead elsewhere, to a port where nobody listens.
        let second = counted.fetch_add(1, Ordering::SeqCst) > 0;
        let address = if second { "127.0.0.2:1".parse().unwrap() } else { to };
        Box::pin(async move { Ok::<_, io::Error>(vec![address]) })
    });
    let url = format!("http://files.test:{}/a", server.address.port());
    assert_eq!(reader.read(&url).await.unwrap().bytes, b"hello");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(server.requests()[0].contains("host: files.test:"), "{:?}", server.requests());
}

#[tokio::test]
async fn one_private_address_of_a_name_is_enough_to_refuse_it() {
    let reader = RemoteReader::new().resolving(|_, port| {
        let addresses = ["1.1.1.1", "10.0.0.7"].map(|ip| SocketAddr::new(ip.parse().unwrap(), port));
        Box::pin(async move { Ok::<_, io::Error>(addresses.to_vec()) })
    });
    let said = reader.read("http://mixed.test/").await.unwrap_err().to_string();
    assert!(said.contains("mixed.test (10.0.0.7) is not"), "{said}");
}

#[tokio::test]
async fn each_redirect_is_checked() {
    for (target, expected) in [
        ("http://169.254.169.254/latest/meta-data/", "not on the public internet"),
        ("//[::ffff:10.0.0.1]/", "not on the public internet"),
        ("http://localhost:1/", "not on the public internet"),
        ("http://user@127.0.0.1/", "contains a login"),
        ("file:///etc/passwd", "not `file`"),
        ("/again", "more than 10 times"),
    ] {
        let server = Server::start(redirect_to(target), End::Close).await;
        let said = local().read(&server.url("/")).await.unwrap_err().to_string();
        assert!(said.contains(expected), "{target}: {said}");
        assert_eq!(server.requests().len(), if target == "/again" { 11 } else { 1 });
    }
    let last = Server::start(page("content-type: text/plain\r\n", "the end"), End::Close).await;
    let first = Server::start(redirect_to(&last.url("/x?key=1")), End::Close).await;
    let content = local().read(&first.url("/")).await.unwrap();
    assert_eq!((content.address, content.bytes), (last.url("/x"), b"the end".to_vec()));
}

#[tokio::test]
async fn https_never_becomes_http_and_needs_a_handshake() {
    let url = "https://a.test/x?key=1".parse().unwrap();
    for target in ["http://a.test/x", "http://b.test/", "HTTP://a.test/"] {
        let said = reader::next_of(&url, target).unwrap_err().to_string();
        assert_eq!(said, "https://a.test/x redirects to an address without TLS");
    }
    assert_eq!(reader::next_of(&url, "//b.test/y").unwrap().as_str(), "https://b.test/y");
    // These servers speak no TLS: with an answer in plain text, with an alert, and with nothing.
    for answer in [page("", "hello").into_bytes(), b"\x15\x03\x03\x00\x02\x02\x28".to_vec(), Vec::new()] {
        let server = Server::start_at_once(answer).await;
        let error = local().read(&server.url("/a?key=1").replace("http:", "https:")).await.unwrap_err();
        assert!(matches!(error, RemoteError::Request { .. }), "{error:?}");
        assert!(!loop_core::with_causes(&error).contains("key=1"), "{error:?}");
    }
}

#[cfg(feature = "s3")]
#[tokio::test]
async fn an_object_is_read_with_a_signature_and_from_allowed_hosts_only() {
    let server = Server::start(page("content-type: text/markdown\r\n", "# Rye"), End::Close).await;
    let endpoint = server.url("");
    let access = move || {
        let endpoint = endpoint.clone();
        S3Access::from_variables(move |name| match name {
            "AWS_ACCESS_KEY_ID" => Some("id".to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some("hidden".to_owned()),
            "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
            _ => None,
        })
    };
    let content = local().s3(access()).read("s3://box/docs/rye.md").await.unwrap();
    assert_eq!(
        (content.address.as_str(), content.text().unwrap().as_str()),
        ("s3://box/docs/rye.md", "# Rye")
    );
    let request = server.requests().concat();
    assert!(
        request.starts_with("GET /box/docs/rye.md?") && request.contains("X-Amz-Signature="),
        "{request}"
    );
    assert!(!request.contains("hidden"), "{request}");
    let error = RemoteReader::new().s3(access()).read("s3://box/docs/rye.md").await.unwrap_err();
    assert!(matches!(error, RemoteError::NotPublic { .. }), "{error:?}");
    let error = local().read("s3://box/docs/rye.md").await.unwrap_err();
    assert!(matches!(error, RemoteError::Scheme(_)), "{error:?}");
    let away = Server::start(redirect_to("http://169.254.169.254/"), End::Close).await;
    let elsewhere = away.url("");
    let access = S3Access::from_variables(|name| (name == "AWS_ENDPOINT_URL").then(|| elsewhere.clone()));
    let error = local().s3(access).read("s3://box/k").await.unwrap_err();
    assert!(matches!(error, RemoteError::Status { status: 302, .. }), "{error:?}");
}

#[tokio::test]
async fn a_login_goes_to_its_host_only() {
    let other = Server::start(page("", "x"), End::Close).await;
    let by_name = format!("http://localhost:{}/", other.address.port());
    let first = Server::start(redirect_to(&by_name), End::Close).await;
    let login = RemoteLogin::Bearer(SecretString::from("t0ken"));
    let reader = local().allow(["127.0.0.1", "localhost"].map(|host| host.parse().unwrap()));
    reader.login("127.0.0.1".parse().unwrap(), login).read(&first.url("/")).await.unwrap();
    assert!(first.requests()[0].contains("authorization: Bearer t0ken"), "{:?}", first.requests());
    assert!(!other.requests()[0].contains("authorization"), "{:?}", other.requests());
}

#[tokio::test]
async fn a_response_without_an_end_is_bounded() {
    let endless = Server::start("HTTP/1.1 200 OK\r\n\r\n".to_owned() + &"x".repeat(9000), End::Repeat).await;
    let reader = local().limits(1 << 20, MAX_TIME);
    let said = reader.read(&endless.url("/")).await.unwrap_err().to_string();
    assert!(said.contains("more than 1048576 bytes"), "{said}");
    let start = reader.read_start(&endless.url("/"), 10_000).await.unwrap();
    assert_eq!((start.bytes.len(), start.is_cut), (10_000, true));
    // A server that announces 10 GB is refused before it sends anything.
    let large = Server::start("HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n", End::Silence).await;
    let said = local().read(&large.url("/")).await.unwrap_err().to_string();
    assert!(said.contains("more than 268435456 bytes"), "{said}");
    // The time counts from the first redirect to the last byte.
    let slow = Server::start("HTTP/1.1 200 OK\r\n\r\nslow", End::Silence).await;
    let error = local().limits(MAX_BYTES, Duration::from_millis(300)).read(&slow.url("/")).await.unwrap_err();
    assert!(matches!(error, RemoteError::TooSlow(_)), "{error:?}");
}

#[tokio::test]
async fn the_server_decides_about_status_and_encoding_and_the_reader_about_text() {
    let gone = Server::start("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", End::Close).await;
    let said = local().read(&gone.url("/a?key=secret")).await.unwrap_err().to_string();
    assert!(said.ends_with("/a answered with the status 404"), "{said}");
    let packed = Server::start(page("content-encoding: gzip\r\n", "\x1f"), End::Close).await;
    let said = local().read(&packed.url("/")).await.unwrap_err().to_string();
    assert!(said.contains("compressed (gzip)"), "{said}");
    let binary = Server::start(page("content-type: image/png\r\n", "a\0b"), End::Close).await;
    let said = local().read(&binary.url("/")).await.unwrap().text().unwrap_err().to_string();
    assert!(said.ends_with("is not text, but image/png"), "{said}");
    let long = Server::start(page("content-type: text/plain\r\n", &"–".repeat(40_000)), End::Close).await;
    let read = local().read(&long.url("/")).await.unwrap().conversation_text().unwrap();
    assert!(read.text.len() <= 64 << 10 && read.text.ends_with("of 120000 bytes ...]"), "{:?}", read.notes);
}

#[test]
fn html_becomes_text() {
    let page = "<!DOCTYPE html><head><title>Rye &amp; Co</title><style>p{}</style></head><body><!-- no -->\
                <h2 class=\"a>b\">Bread</h2><p>Two <b>words</b>,\n  and 1 < 2.<br>Next&nbsp;line &#x2014; &bogus;\
                <script>if (a</b>) '</scriptx>';</script><ul><li>One<li>Two</ul><pre>  a\n   b</pre>\
                <table><tr><td>x</td><td>y</td></tr></table>";
    let expected = "Rye & Co\n\n## Bread\n\nTwo words, and 1 < 2.\nNext line \u{2014} &bogus;\n\n- One\n- Two\n\n  a\n   b\n\nx\ty";
    assert_eq!(html::text(page), expected);
    for cut in ["<", "<p", "a<p href=\"", "<!--", "<script>x", "&#x110000;", "&", "<é", "</"] {
        html::text(cut);
    }
    let deep = "<div>".repeat(200_000) + "end";
    assert_eq!(html::text(&deep), "end");
    assert_eq!(html::text(&"<script></scrip".repeat(100_000)), "");
}
