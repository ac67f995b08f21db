//! A server that speaks just enough of `OpenAI`'s protocol.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use anyhow::Result;
use serde_json::json;

/// A server on its own port. Its threads end with this process.
pub(super) struct ReplyServer {
    pub(super) address: SocketAddr,
}

impl ReplyServer {
    /// Starts a server that sends this number of pieces after a pause.
    pub(super) fn start(pause: Duration, pieces: usize) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || serve(stream, pause, pieces));
            }
        });
        Ok(Self { address })
    }
}

/// Answers the requests of one connection, until the client closes it.
fn serve(stream: TcpStream, pause: Duration, pieces: usize) -> Result<()> {
    stream.set_nodelay(true)?;
    let (mut input, mut output) = (BufReader::new(stream.try_clone()?), stream);
    while let Some(length) = body_length(&mut input)? {
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        thread::sleep(pause);
        output.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        for number in 0..pieces {
            chunk(&mut output, &event(&json!({ "content": format!("word{number} ") }), None))?;
        }
        chunk(&mut output, &event(&json!({}), Some("stop")))?;
        chunk(&mut output, "data: [DONE]\n\n")?;
        output.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

/// Reads the head of a request. Returns the length of its body, or `None` at the end of the connection.
fn body_length(input: &mut impl BufRead) -> Result<Option<usize>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse()?,
            _ if line == "\r\n" => return Ok(Some(length)),
            _ => {}
        }
    }
}

fn event(delta: &serde_json::Value, end: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": end });
    let event =
        json!({ "id": "x", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice] });
    format!("data: {event}\n\n")
}

fn chunk(output: &mut impl Write, text: &str) -> Result<()> {
    Ok(output.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())?)
}
