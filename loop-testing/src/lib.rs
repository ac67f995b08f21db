//! A model server that follows a script.
//!
//! These tests cover the weak points of a model client: a tool call in seven pieces, a reply that breaks off, a server
//! that stops sending, a rate limit with its end in a header. No real server does these on request, and a fake behind
//! the client's own trait never shows whether the client reads the wire format correctly. So this server uses HTTP, in
//! the dialects of `OpenAI`, Anthropic, Gemini and Ollama. It selects the dialect by the path of the request.
//!
//! ```
//! use loop_testing::{Answer, ScriptedServer};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
//! let server = ScriptedServer::start([
//!     Answer::status(429).header("retry-after", "1"),
//!     Answer::deltas(["Hel", "lo."]).usage(12, 3),
//! ]).await?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert!(server.requests().is_empty());
//! # Ok(()) }
//! ```

mod answer;
mod body;
mod dialect;
mod gate;
#[cfg(target_os = "linux")]
mod lesser_machine;
mod server;

pub use self::{
    answer::{Answer, Call},
    dialect::Dialect,
    gate::Gate,
    server::{RecordedRequest, ScriptedServer},
};
#[cfg(target_os = "linux")]
pub use lesser_machine::{MissingPart, without};
