//! The file that says where a server of this user is, with the lock of the program that started it.
//!
//! A program that is killed cannot remove its file. So the file alone says nothing: the lock shows whether its owner
//! lives, and the server itself whether it answers.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use crate::process::{DEFAULT_GRACE, lives_in_group};

/// The pause between two looks at a server that has to end.
const PAUSE: Duration = Duration::from_millis(20);

/// The most bytes of a server's output that its file keeps. After that, the file begins anew. The file of a server that
/// is kept has more until the next program uses the server.
const MAX_LOG: u64 = 1 << 20;

/// The part of the file that shows its last lines, in bytes.
const SHOWN_LOG: u64 = 32 << 10;

/// Where a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotedServer {
    /// Its port of 127.0.0.1.
    pub port: u16,
    /// The number of its process, which leads a group of its own.
    pub process: u32,
    /// Whether it stays when the program that started it ends.
    #[serde(default)]
    pub is_kept: bool,
}

impl NotedServer {
    /// Returns whether the process is the server. The variable shows that the number still belongs to it.
    fn is_it(self) -> bool {
        let variables = fs::read(format!("/proc/{}/environ", self.process)).unwrap_or_default();
        let mark = format!("OLLAMA_HOST=127.0.0.1:{}", self.port);
        variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    }

    fn leader(self) -> Option<Pid> {
        i32::try_from(self.process).ok().and_then(Pid::from_raw)
    }

    /// Asks the server to end. Returns its group, if it is there.
    pub(super) fn terminate(self) -> Option<Pid> {
        let leader = self.leader().filter(|_| self.is_it())?;
        kill_process_group(leader, Signal::TERM).ok().map(|()| leader)
    }

    /// Ends the server, and waits for its end. Returns whether there was one, and whether it has ended.
    pub(super) async fn end(self) -> Option<bool> {
        let group = self.terminate()?;
        for kill in [true, false] {
            let deadline = Instant::now() + DEFAULT_GRACE;
            while Instant::now() < deadline {
                if !lives_in_group(group) {
                    return Some(true);
                }
                sleep(PAUSE).await;
            }
            if kill {
                // It may have ended in this moment.
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        Some(false)
    }
}

/// The files about one server.
#[derive(Debug, Clone)]
pub(super) struct ServerFile(PathBuf);

impl ServerFile {
    /// Returns the file for the server with this name.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        Self(folder.join(format!("{name}.json")))
    }

    /// Returns what the file says; `None` also for a damaged file.
    pub(super) fn read(&self) -> Option<NotedServer> {
        serde_json::from_slice(&fs::read(&self.0).ok()?).ok()
    }

    /// Writes the file.
    pub(super) fn write(&self, noted: NotedServer) -> io::Result<()> {
        fs::write(&self.0, serde_json::to_vec(&noted)?)
    }

    /// Removes the file.
    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Locks the server for this program until the file is dropped. Returns `None` if another program has the lock.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let path = self.0.with_extension("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Begins the file with the server's output anew. Only its owner can read it.
    pub(super) fn new_log(&self) -> io::Result<File> {
        // A server that is kept goes on writing after the file was shortened, at its new end.
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log())?;
        file.set_len(0)?;
        Ok(file)
    }

    /// Shortens the output of a server that is kept to its end, if it is too long.
    pub(super) fn shorten_log(&self) -> io::Result<()> {
        let mut file = match OpenOptions::new().append(true).open(self.log()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        if file.metadata()?.len() <= MAX_LOG {
            return Ok(());
        }
        let end = self.end_of_log()?.unwrap_or_default();
        file.set_len(0)?;
        file.write_all(&end)
    }

    fn log(&self) -> PathBuf {
        self.0.with_extension("log")
    }

    /// Returns the end of the server's output; `None` if it never started.
    pub(super) fn end_of_log(&self) -> io::Result<Option<Vec<u8>>> {
        let mut file = match File::open(self.log()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(SHOWN_LOG)))?;
        let mut bytes = Vec::new();
        file.take(SHOWN_LOG).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Adds a part of a server's output to its file.
pub(super) fn log(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    if file.metadata()?.len() + bytes.len() as u64 > MAX_LOG {
        file.set_len(0)?;
    }
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_kept_server_is_shortened_while_the_server_writes() {
        let folder = tempfile::tempdir().unwrap();
        let file = ServerFile::new(folder.path(), "qwen");
        file.shorten_log().unwrap();
        let mut server = file.new_log().unwrap();
        server.write_all(b"first\n").unwrap();
        file.shorten_log().unwrap();
        assert_eq!(file.end_of_log().unwrap().unwrap(), b"first\n");
        server.write_all(&vec![b'x'; MAX_LOG as usize]).unwrap();
        server.write_all(b"\nlast\n").unwrap();
        file.shorten_log().unwrap();
        server.write_all(b"next\n").unwrap();
        let length = fs::metadata(folder.path().join("qwen.log")).unwrap().len();
        assert_eq!(length, SHOWN_LOG + 5);
        assert!(file.end_of_log().unwrap().unwrap().ends_with(b"xx\nlast\nnext\n"));
    }
}
