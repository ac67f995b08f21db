//! A network of which only a proxy is part: a namespace with nothing but its own loopback device.

use std::{
    fs::File,
    io,
    net::{Ipv4Addr, TcpListener},
    os::fd::{AsFd, OwnedFd},
    thread,
};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::{AllowedHost, proxy::Proxy};
use crate::process::{
    Environment,
    system::{raise_loopback, unshare_network},
};

/// The variables by which programs find a proxy.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The names of the own machine, which is the sandbox itself here.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The network of the commands of one sandbox.
#[derive(Debug)]
pub(super) struct PrivateNetwork {
    namespace: OwnedFd,
    port: u16,
    hosts: Vec<AllowedHost>,
    _proxy: Proxy,
}

impl PrivateNetwork {
    /// Creates a network in which these hosts can be reached through a proxy.
    ///
    /// # Errors
    /// This process lacks `CAP_SYS_ADMIN`, or the system has no descriptors left.
    pub(super) fn create(hosts: &[AllowedHost]) -> io::Result<Self> {
        let (namespace, listener) = on_a_thread(|| {
            enter_new()?;
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            Ok((File::open("/proc/thread-self/ns/net")?.into(), listener))
        })?;
        let port = listener.local_addr()?.port();
        let proxy = Proxy::start(listener, hosts.to_vec())?;
        Ok(Self { namespace, port, hosts: hosts.to_vec(), _proxy: proxy })
    }

    /// Returns whether this process can create one.
    pub(super) fn is_possible() -> bool {
        on_a_thread(enter_new).is_ok()
    }

    /// Moves the calling thread into this network.
    ///
    /// # Errors
    /// This process lacks `CAP_SYS_ADMIN`.
    pub(super) fn enter(&self) -> io::Result<()> {
        Ok(move_into_link_name_space(self.namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
    }

    /// Names the proxy to programs, for all hosts but the sandbox itself.
    pub(super) fn set_variables(&self, env: &mut Environment) {
        for name in PROXIES {
            env.set(name, format!("http://127.0.0.1:{}", self.port));
        }
        let own = OWN.into_iter().filter(|own| !self.hosts.iter().any(|host| host.host() == *own));
        let own = own.collect::<Vec<_>>().join(",");
        for name in ["NO_PROXY", "no_proxy"] {
            env.set(name, &own);
        }
        // Without it, Node.js asks no proxy.
        env.set("NODE_USE_ENV_PROXY", "1");
    }
}

fn enter_new() -> io::Result<()> {
    unshare_network()?;
    raise_loopback()
}

fn on_a_thread<T: Send + 'static>(make: fn() -> io::Result<T>) -> io::Result<T> {
    let made = thread::Builder::new().name("sandbox-network".to_owned()).spawn(make)?.join();
    made.unwrap_or_else(|_| Err(io::Error::other("creating a network panicked")))
}
