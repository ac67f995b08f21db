//! Addresses of real servers: the package `moto` for S3, and `sshd` of OpenSSH.

use std::{
    ffi::OsString,
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use loop_agents::remote::{MAX_TIME, RemoteError, RemoteReader, S3Access, SftpAccess};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

/// A server that ends with this value.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts the server for a free port, and waits until it listens.
    async fn start(command: impl FnOnce(u16) -> Command) -> Self {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let child = command(port).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut server = Self { child: child.expect("the server"), port };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(server.child.try_wait().expect("a child").is_none(), "the server has ended");
            sleep(Duration::from_millis(20)).await;
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reader() -> RemoteReader {
    RemoteReader::new().allow(["127.0.0.1".parse().expect("a host")])
}

async fn put(port: u16, path: &str, body: &str) {
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let length = body.len();
    let request = format!(
        "PUT {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
#[ignore = "needs `moto_server` on the PATH: pip install 'moto[server,s3]'"]
async fn an_object_of_a_store_is_read() {
    let server = Server::start(|port| {
        let mut command = Command::new("moto_server");
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        command
    })
    .await;
    put(server.port, "/box", "").await;
    put(server.port, "/box/a%20b/rye.md", "# Rye\n").await;
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let access = S3Access::from_variables(|name| match name {
        "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("x".to_owned()),
        "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
        _ => None,
    });
    let reader = reader().s3(access);
    assert_eq!(reader.read("s3://box/a b/rye.md").await.expect("an object").bytes, b"# Rye\n");
    let start = reader.read_start("s3://box/a b/rye.md", 3).await.expect("an object");
    assert_eq!((start.bytes.as_slice(), start.is_cut), (&b"# R"[..], true));
    let gone = reader.read("s3://box/none").await.expect_err("no such object");
    assert!(matches!(gone, RemoteError::Status { status: 404, .. }), "{gone:?}");
}

fn key(folder: &Path, name: &str) -> String {
    let file = folder.join(name);
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&file).status();
    assert!(made.expect("ssh-keygen").success());
    let text = fs::read_to_string(file.with_extension("pub")).expect("a key");
    text.split(' ').take(2).collect::<Vec<_>>().join(" ").trim().to_owned()
}

async fn sshd(folder: &Path) -> Server {
    let settings = format!(
        "HostKey {0}/host\nAuthorizedKeysFile {0}/own.pub\nStrictModes no\nUsePAM no\nPidFile none\n\
         Subsystem sftp internal-sftp\nListenAddress 127.0.0.1\n",
        folder.display()
    );
    fs::write(folder.join("sshd_config"), settings).expect("settings");
    Server::start(|port| {
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-e", "-p", &port.to_string(), "-f"]).arg(folder.join("sshd_config"));
        command
    })
    .await
}

#[tokio::test]
#[ignore = "needs `/usr/sbin/sshd`: the package openssh-server"]
async fn a_file_is_read_from_a_host_whose_key_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let (host, other) = (key(folder.path(), "host"), key(folder.path(), "other"));
    key(folder.path(), "own");
    let server = sshd(folder.path()).await;
    let file = folder.path().join("rye bread.md");
    fs::write(&file, "# Rye\n").expect("a file");
    let user = Command::new("id").arg("-un").output().expect("id").stdout;
    let user = String::from_utf8(user).expect("a name").trim().to_owned();
    let address = |path: &Path| format!("sftp://{user}@127.0.0.1:{}{}", server.port, path.display());
    let access = |host_key: Option<&str>| {
        SftpAccess::from_variables(|name| match name {
            "PATH" => std::env::var_os("PATH"),
            "HOME" | "TMPDIR" => Some(folder.path().into()),
            "SFTP_KEY_PATH" => Some(folder.path().join("own").into()),
            "SFTP_HOST_KEY" => host_key.map(OsString::from),
            _ => None,
        })
    };
    let known = reader().sftp(access(Some(&host)));
    assert_eq!(known.read(&address(&file)).await.expect("a file").bytes, b"# Rye\n");
    let start = known.read_start(&address(&file), 3).await.expect("a file");
    assert_eq!((start.bytes.as_slice(), start.is_cut), (&b"# R"[..], true));
    // A file that never ends is cut, and refused as a whole.
    let large = folder.path().join("large");
    fs::File::create(&large).and_then(|file| file.set_len(10_000_000_000)).expect("a file");
    assert_eq!(known.read_start(&address(&large), 10_000).await.expect("a file").bytes.len(), 10_000);
    let bounded = known.clone().limits(1 << 20, MAX_TIME);
    let error = bounded.read(&address(&large)).await.expect_err("it is too large");
    assert!(matches!(error, RemoteError::TooLarge { .. }), "{error:?}");
    let error = known.read(&address(Path::new("/none"))).await.expect_err("no such file");
    assert!(matches!(&error, RemoteError::Sftp { said, .. } if said.contains("not found")), "{error:?}");
    let error = reader().sftp(access(None)).read(&address(&file)).await.expect_err("unknown");
    assert!(matches!(error, RemoteError::HostKeyUnknown { .. }), "{error:?}");
    let error = reader().sftp(access(Some(&other))).read(&address(&file)).await.expect_err("changed");
    assert!(matches!(error, RemoteError::HostKeyChanged { .. }), "{error:?}");
    // The file of known hosts counts as well.
    fs::create_dir(folder.path().join(".ssh")).expect("a folder");
    let line = format!("[127.0.0.1]:{} {host}\n", server.port);
    fs::write(folder.path().join(".ssh/known_hosts"), line).expect("a file");
    reader().sftp(access(None)).read(&address(&file)).await.expect("a known host");
    let error =
        RemoteReader::new().sftp(access(Some(&host))).read(&address(&file)).await.expect_err("private");
    assert!(matches!(error, RemoteError::NotPublic { .. }), "{error:?}");
    let left = fs::read_dir(folder.path()).expect("a folder").flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("loop-sftp-")));
}
