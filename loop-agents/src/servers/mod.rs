//! Model servers that this program starts on this machine.
//!
//! A person without a vendor's key often has a model server installed that does not run. A program that starts it also
//! has to end it: a server that is left behind keeps gigabytes of memory. So a [`LocalServer`] ends with the value, and
//! its process is supervised like every other. It listens only at 127.0.0.1, so nobody else on the network can reach it.

mod error;
mod local_server;

pub use self::{error::ServerError, local_server::LocalServer};
