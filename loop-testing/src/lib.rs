//! A model server that says what it is told to.
//!
//! A client of a model is tested where it is weakest: a tool call in seven pieces, a reply that breaks off, a
//! server that says nothing any more, a rate limit with its end in a header. No real server does these when
//! it is asked to, and a fake behind the client's own trait never shows whether the client reads a wire. So
//! this one speaks HTTP, in the dialects of `OpenAI`, Anthropic, Gemini and Ollama; which one, it sees by the
//! path that it is asked.
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
mod server;

pub use self::{
    answer::{Answer, Call},
    dialect::Dialect,
    gate::Gate,
    server::{Recorded, ScriptedServer},
};
