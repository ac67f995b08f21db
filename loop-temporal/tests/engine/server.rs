//! The server and the workers of these tests.

use std::{
    net::TcpListener,
    path::Path,
    process::{Child, Command, Output},
    thread,
    time::Duration,
};

use loop_manifest::settings::TemporalSettings;
use loop_temporal::{Settings, connect};
use tempfile::TempDir;
use temporalio_client::Client;

use crate::network::Network;

/// The variable with the path of the program `temporal`.
const PROGRAM: &str = "LOOP_TEMPORAL_SERVER";

/// The variable with the path of a library that changes the clock of a program.
const CLOCK_LIBRARY: &str = "LOOP_TEMPORAL_FAKETIME";

/// A key that `LOOP_TEST_KEY` has in each call.
const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Waits until something holds, and fails after two minutes.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("waited in vain: {what}");
}

/// A server with a database of its own, on a free port of loopback.
pub(crate) struct Server {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        let child = started(port, folder.path());
        let server = Self { child, port, folder };
        server.wait();
        let text = format!("[engine.temporal]\naddress = \"{}\"\n", server.address());
        std::fs::write(server.folder.path().join("settings.toml"), text).expect("settings");
        server
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn settings(&self) -> Settings {
        let table = TemporalSettings { address: Some(self.address()), ..TemporalSettings::default() };
        Settings { table, ..Settings::default() }
    }

    fn wait(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        wait_until("the server answers", || runtime.block_on(connect(&self.settings(), "test")).is_ok());
    }

    pub(crate) async fn client(&self) -> Client {
        connect(&self.settings(), "test").await.expect("a server")
    }

    /// Kills the server as a crash does, and starts it again.
    pub(crate) fn crash(&mut self) {
        kill(&mut self.child);
        self.child = started(self.port, self.folder.path());
        self.wait();
    }

    /// Returns a call of `loop-temporal` with this server in its settings.
    fn call(&self, args: &[&str], folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loop-temporal"));
        command.args(args).current_dir(folder).env("LOOP_CONFIG", self.folder.path().join("settings.toml"));
        command.env("LOOP_TEST_KEY", KEY);
        command
    }

    pub(crate) fn worker(&self, queue: &str, name: &str) -> Worker {
        self.worker_at(queue, name, name)
    }

    /// Starts a worker on a host whose clock is an hour ahead.
    pub(crate) fn worker_ahead(&self, queue: &str, name: &str) -> Worker {
        let library = std::env::var_os(CLOCK_LIBRARY)
            .unwrap_or_else(|| panic!("{CLOCK_LIBRARY} names no libfaketime; `.ci/engine` installs one"));
        let mut command = self.worker_command(queue, name, name);
        command.env("LD_PRELOAD", library).env("FAKETIME", "+1h").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Worker(command.spawn().expect("a worker"))
    }

    /// Starts a worker on another host: in a state folder of this name, which its agents see as `LOOP_TEST_HOST`.
    pub(crate) fn worker_at(&self, queue: &str, name: &str, host: &str) -> Worker {
        Worker(self.worker_command(queue, name, host).spawn().expect("a worker"))
    }

    fn worker_command(&self, queue: &str, name: &str, host: &str) -> Command {
        let args = ["worker", "--queue", queue, "--name", name];
        let mut command = self.call(&args, self.folder.path());
        command.env("LOOP_HOME", self.folder.path().join(host)).env("LOOP_TEST_HOST", host);
        command
    }

    /// Starts a worker that reaches the server through this network.
    pub(crate) fn worker_behind(&self, network: &Network, queue: &str, name: &str) -> Worker {
        let settings = self.folder.path().join("network.toml");
        let text = format!("[engine.temporal]\naddress = \"127.0.0.1:{}\"\n", network.port());
        std::fs::write(&settings, text).expect("settings");
        let mut command = self.worker_command(queue, name, name);
        Worker(command.env("LOOP_CONFIG", settings).spawn().expect("a worker"))
    }

    /// Returns a network between a worker and this server.
    pub(crate) fn network(&self) -> Network {
        Network::to(self.port)
    }

    /// Adds settings to `[engine.temporal]`.
    pub(crate) fn set(&self, text: &str) {
        let settings = self.folder.path().join("settings.toml");
        let old = std::fs::read_to_string(&settings).expect("settings");
        std::fs::write(settings, format!("{old}{text}\n")).expect("settings");
    }

    /// Returns everything that the server has stored.
    pub(crate) fn stored(&self) -> Vec<u8> {
        let files = ["temporal.db", "temporal.db-wal"].map(|name| self.folder.path().join(name));
        files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect()
    }

    /// Starts a worker that ends with an error, and returns that.
    #[track_caller]
    pub(crate) fn refused_worker(&self, queue: &str, name: &str) -> String {
        let output = self.worker_command(queue, name, name).output().expect("a call");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Calls `loop-temporal`.
    pub(crate) fn output(&self, args: &[&str], folder: &Path) -> Output {
        self.call(args, folder).output().expect("a call")
    }

    /// Calls `loop-temporal`, and returns what it prints.
    #[track_caller]
    pub(crate) fn says(&self, args: &[&str], folder: &Path) -> String {
        self.try_says(args, folder).unwrap_or_else(|error| panic!("{args:?}: {error}"))
    }

    /// Calls `loop-temporal`, and returns what it prints, or its error.
    pub(crate) fn try_says(&self, args: &[&str], folder: &Path) -> Result<String, String> {
        let output = self.output(args, folder);
        match output.status.code() {
            Some(0 | 1) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// A worker in a process of its own.
pub(crate) struct Worker(Child);

impl Worker {
    pub(crate) fn crash(mut self) {
        kill(&mut self.0);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        kill(&mut self.0);
    }
}

fn started(port: u16, folder: &Path) -> Child {
    let program = std::env::var_os(PROGRAM)
        .unwrap_or_else(|| panic!("{PROGRAM} names no program `temporal`; `.ci/engine` installs one"));
    let log = std::fs::File::create(folder.join("log")).expect("a log");
    Command::new(program)
        .args(["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--log-level", "error", "--port"])
        .arg(port.to_string())
        .arg("--db-filename")
        .arg(folder.join("temporal.db"))
        .env("DO_NOT_TRACK", "1")
        .stdout(log.try_clone().expect("a log"))
        .stderr(log)
        .spawn()
        .expect("a server")
}

/// Ends a process with SIGKILL.
fn kill(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().expect("the end of the process");
}
