//! The floor: the request alone.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{TurnTimes, server::ReplyServer};

/// The end of a chunked body.
const END: &[u8] = b"\r\n0\r\n\r\n";

/// A request that is written by hand, again and again on one connection.
pub(super) struct BareRequest {
    stream: TcpStream,
    text: String,
}

impl BareRequest {
    pub(super) fn to(server: &ReplyServer) -> Result<Self> {
        let message = json!({ "role": "user", "content": "Hello?" });
        let body = json!({ "model": "scripted", "stream": true, "messages": [message] }).to_string();
        let text = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let stream = TcpStream::connect(server.address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, text })
    }

    /// Sends the request and reads the whole answer.
    pub(super) fn turn(&mut self) -> Result<TurnTimes> {
        let begun = Instant::now();
        self.stream.write_all(self.text.as_bytes())?;
        let (mut answer, mut buffer, mut first) = (Vec::new(), [0; 16 * 1024], None);
        while !answer.ends_with(END) {
            let count = self.stream.read(&mut buffer)?;
            ensure!(count > 0, "the server closed the connection");
            answer.extend_from_slice(&buffer[..count]);
            if first.is_none() && answer.windows(4).any(|bytes| bytes == b"word") {
                first = Some(begun.elapsed());
            }
        }
        Ok(TurnTimes { first: first.context("the reply has no token")?, whole: begun.elapsed() })
    }
}
