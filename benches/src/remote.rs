//! Measures the reading of an address against `curl`.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use loop_agents::remote::RemoteReader;
use tokio::runtime::{Builder, Runtime};

use crate::{
    command::timed,
    pairs::in_turn,
    table::{Row, Table},
};

const RATIO: &str = "reading 100 MB over http from this machine / `curl`";
/// The size of the file, in bytes.
const BYTES: usize = 100_000_000;

/// Runs the measurement. Without `curl`, the row says so.
///
/// # Errors
/// If the address cannot be read.
pub fn measure(table: &mut Table) -> Result<()> {
    if Command::new("curl").arg("--version").output().is_err() {
        table.add(Row::skipped(RATIO, "there is no `curl`"));
        return Ok(());
    }
    let url = format!("http://{}/", serve()?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let reader = RemoteReader::new().allow(["127.0.0.1".parse()?]);
    let pairs = in_turn(|| read(&runtime, &reader, &url), || curl(&url))?;
    let note = format!("{:.0} ms over {:.0} ms", pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(Row::new(RATIO, pairs.ratio).at_most(2.0).note(note));
    Ok(())
}

/// Starts a server that gives the same file to each request, until the program ends.
fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\nconnection: close\r\n\r\n");
    let answer = [head.as_bytes(), &vec![b'x'; BYTES]].concat();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // The request ends with an empty line. The client reports what is missing.
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let _ = stream.write_all(&answer);
        }
    });
    Ok(address)
}

fn read(runtime: &Runtime, reader: &RemoteReader, url: &str) -> Result<Duration> {
    let begun = Instant::now();
    let content = runtime.block_on(reader.read(url))?;
    ensure!(content.bytes.len() == BYTES, "{} bytes arrived", content.bytes.len());
    Ok(begun.elapsed())
}

fn curl(url: &str) -> Result<Duration> {
    timed(Command::new("curl").args(["--silent", "--noproxy", "*", "--output", "/dev/null", url]), 0)
}
