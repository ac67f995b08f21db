//! Reads addresses: `http` and `https`, with the feature `s3` objects of S3-compatible stores, and with the feature `sftp`
//! files of machines with SSH.
//!
//! A person or a model names an address, and a server decides what it leads to. So this module guards against three
//! problems:
//!
//! - The address leads into the network of this machine: to a service on it, to a device beside it, or to the server from
//!   which a cloud machine gets its keys. So each name is resolved once, its addresses are checked, and the connection
//!   goes to a checked address. Each redirect is checked in the same way.
//! - The server never stops sending. So a read has a [limit](MAX_BYTES) in bytes and [one](MAX_TIME) in time.
//! - A login goes to a server for which it is not meant. So it goes to one [host](RemoteHost) only.

mod address;
mod content;
mod error;
mod html;
mod reader;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "sftp")]
mod sftp;
#[cfg(test)]
mod tests;

#[cfg(feature = "s3")]
pub use self::s3::S3Access;
#[cfg(feature = "sftp")]
pub use self::sftp::SftpAccess;
pub use self::{
    address::{RemoteHost, UnknownHost, is_address, is_public},
    content::{ConversationText, RemoteContent},
    error::RemoteError,
    reader::{MAX_BYTES, MAX_REDIRECTS, MAX_TIME, RemoteLogin, RemoteReader},
};
pub use secrecy::SecretString;
