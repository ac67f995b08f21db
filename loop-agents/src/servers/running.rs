//! A server that runs, and how it ends.

use std::fs::File;

use loop_core::CancellationToken;

use super::{LocalServer, NotedServer, note::ServerFile};

/// Where a server is now.
#[derive(Debug, Clone)]
pub struct ServerPlace {
    /// The port of 127.0.0.1.
    pub port: u16,
    /// Cancelled when a server that this program started has ended.
    pub gone: CancellationToken,
}

/// The result of [`ManagedServer::end`](super::ManagedServer::end).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedServer {
    /// The server has ended.
    Ended,
    /// Another program has started the server, and it ends with that program.
    InUse,
    /// There was no server.
    None,
}

pub(super) struct RunningServer {
    pub(super) place: ServerPlace,
    pub(super) own: Option<OwnServer>,
}

/// A server that ends with this value.
pub(super) struct OwnServer {
    /// None for an adopted server.
    pub(super) local: Option<LocalServer>,
    /// The file and its lock, and what it says.
    pub(super) noted: Option<(ServerFile, File, NotedServer)>,
}

impl RunningServer {
    pub(super) const fn at(port: u16, gone: CancellationToken, own: Option<OwnServer>) -> Self {
        Self { place: ServerPlace { port, gone }, own }
    }
}

impl OwnServer {
    /// Ends the server, and waits for its end.
    pub(super) async fn stop(mut self) {
        match (self.local.take(), &self.noted) {
            (Some(local), _) => local.stop().await,
            (None, Some((_, _, noted))) => drop(noted.end().await),
            (None, None) => {}
        }
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let Some((file, _, noted)) = &self.noted else { return };
        // The next program finds no server there, and replaces the file.
        let _ = file.remove();
        // It ends now, or has ended already.
        noted.terminate();
    }
}
