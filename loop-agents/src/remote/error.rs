//! The reasons why an address was not read.

use std::time::Duration;

use super::{MAX_REDIRECTS, RemoteHost};

/// The reason why an address was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The text is no address.
    #[error("this is not an address: {0}")]
    Address(String),
    /// The scheme is not supported.
    #[error("loop reads `http` and `https`, for a person also `s3`, `sftp` and `scp`, and not `{0}` here")]
    Scheme(String),
    /// The address contains a login, which would be stored and shown with it.
    #[error(
        "the address contains a login; `token_host` under `[remote]` in your own settings names the host of a login"
    )]
    Login,
    /// The name cannot be resolved.
    #[error("the host {host} has no address: check its name")]
    Name {
        /// The host.
        host: RemoteHost,
        /// The error from the system.
        source: std::io::Error,
    },
    /// The host is not on the public internet, and the user did not allow it.
    #[error(
        "{host}{} is not on the public internet; `allow = [\"{host}\"]` under `[remote]` in your \
         own settings allows this host",
        if host.to_string() == address.to_string() { String::new() } else { format!(" ({address})") }
    )]
    NotPublic {
        /// The host.
        host: RemoteHost,
        /// The first address that is not public.
        address: std::net::IpAddr,
    },
    /// The server redirects from `https` to `http`.
    #[error("{0} redirects to an address without TLS")]
    Downgrade(String),
    /// The server redirects without an end.
    #[error("the address redirects more than {MAX_REDIRECTS} times")]
    Redirects,
    /// The server cannot be reached, or breaks off.
    #[error("{address} cannot be read")]
    Request {
        /// The address, without its query.
        address: String,
        /// The error from the connection.
        source: reqwest::Error,
    },
    /// TLS is not possible on this machine.
    #[error("cannot load the TLS certificates of the system")]
    Tls(#[source] rustls::Error),
    /// The server refuses the request.
    #[error("{address} answered with the status {status}")]
    Status {
        /// The address, without its query.
        address: String,
        /// The status.
        status: u16,
    },
    /// The server compressed its answer, although the request did not ask for that.
    #[error("{address} sent data that is compressed ({encoding})")]
    Encoded {
        /// The address, without its query.
        address: String,
        /// The encoding.
        encoding: String,
    },
    /// The host has another key than before, so it may be another machine.
    #[error(
        "the key of {host} has changed, so another machine may answer: ask its owner, and then replace the key in \
         `~/.ssh/known_hosts` or `SFTP_HOST_KEY`"
    )]
    HostKeyChanged {
        /// The host.
        host: RemoteHost,
    },
    /// The key of the host is not known.
    #[error(
        "the key of {host} is not known: compare it with its owner, and add it to `~/.ssh/known_hosts` or set \
         `SFTP_HOST_KEY`"
    )]
    HostKeyUnknown {
        /// The host.
        host: RemoteHost,
    },
    /// There is no program `sftp`.
    #[error(
        "there is no program `sftp`: install OpenSSH (the package `openssh-client` or `openssh-clients`)"
    )]
    NoSftp,
    /// The program `sftp` failed.
    #[error("{address} cannot be read: {said}")]
    Sftp {
        /// The address.
        address: String,
        /// Its last line.
        said: String,
    },
    /// The folder for temporary files cannot be used.
    #[error("cannot use the folder {} for temporary files", folder.display())]
    Folder {
        /// The folder.
        folder: std::path::PathBuf,
        /// The error from the system.
        source: std::io::Error,
    },
    /// The content has too many bytes.
    #[error("{address} has more than {most} bytes")]
    TooLarge {
        /// The address, without its query.
        address: String,
        /// The limit.
        most: u64,
    },
    /// The time is over.
    #[error("the address was not read within {0:?}")]
    TooSlow(Duration),
    /// The content is not text.
    #[error("{address} is not text, but {media_type}")]
    NotText {
        /// The address, without its query.
        address: String,
        /// The media type.
        media_type: String,
    },
}
