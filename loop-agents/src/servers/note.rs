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

/// The most bytes of a server's output that its file keeps. After that, the file begins anew.
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
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(true).mode(0o600);
        options.open(self.0.with_extension("log"))
    }

    /// Returns the end of the server's output; `None` if it never started.
    pub(super) fn end_of_log(&self) -> io::Result<Option<Vec<u8>>> {
        let mut file = match File::open(self.0.with_extension("log")) {
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
        file.rewind()?;
    }
    file.write_all(bytes)
}
