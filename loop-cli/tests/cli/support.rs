//! A scenario for one test, and the command in it.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a test waits before it fails: long enough for a gigabyte through a debug build on a machine that is
/// compiling. No agent in these tests ends by itself that late.
const PATIENCE: Duration = Duration::from_mins(5);

/// The command of an agent that must be interrupted.
pub(crate) const FOREVER: &str = "sleep 1000";

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let given_up = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < given_up, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a condition holds for a page. On failure it shows the page.
pub(crate) fn wait_until_shown(what: &str, page: impl Fn() -> String, is_so: impl Fn(&str) -> bool) {
    let given_up = Instant::now() + PATIENCE;
    loop {
        let page = page();
        if is_so(&page) {
            return;
        }
        assert!(Instant::now() < given_up, "waited in vain: {what}\n{page}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Compares a screen with its snapshot. Times and folders differ from run to run.
pub(crate) fn shown(name: &str, screen: &str) {
    let filters = [
        (r"(?m)^( +\d) .* (cut|fail|pass) ", "$1 [times] $2 "),
        (r"\b(\d+ms|\d+\.\ds|\dm \d\ds)(, of which \S+ working)?", "[time]"),
        (r"\d+\.\d tok/s", "[speed] tok/s"),
        (r"/\S+/work\b", "[folder]"),
        (r"/\S+/telemetry.jsonl", "[records]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[run]"),
    ];
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, screen);
    });
}

/// A manifest with at most three iterations and no other settings.
#[derive(Clone)]
pub(crate) struct Manifest(pub(crate) Value);

impl Manifest {
    pub(crate) fn new(agent: &str, check: &str) -> Self {
        Self(json!({
            "goal": "All is well",
            "agent": { "command": agent, "prompt": "{goal}: {evaluator_output}" },
            "evaluator": { "command": check },
            "guardrails": { "max_iterations": 3 },
        }))
    }

    /// Sets the field at this path, in the notation of messages: `guardrails.max_seconds`.
    pub(crate) fn set(mut self, path: &str, value: impl Into<Value>) -> Self {
        let pointer = path.split('.').fold(&mut self.0, |object, key| &mut object[key]);
        *pointer = value.into();
        self
    }
}

/// The folders of one test: one to work in, one for the command's state, one for temporary files.
pub(crate) struct Scenario(TempDir);

impl Scenario {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["work", "tmp"] {
            fs::create_dir(root.path().join(folder)).expect("a folder");
        }
        Self(root)
    }

    /// Returns a path in the folder in which the command runs.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns the command's state directory. The command creates it.
    pub(crate) fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// Returns the number of files left in the folder for temporary files.
    pub(crate) fn leftovers(&self) -> usize {
        fs::read_dir(self.0.path().join("tmp")).expect("a folder").count()
    }

    /// Returns the command for `program` in this scenario, with a fixed environment.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path(""));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("LOOP_HOME", self.state()).env("HOME", self.0.path().join("home"));
        command.env("TMPDIR", self.0.path().join("tmp")).env("LC_ALL", "C.UTF-8");
        command
    }

    /// Returns the command for `loop` with these arguments, not started yet.
    pub(crate) fn loop_command(&self, args: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_loop"), args)
    }

    /// Runs `loop` with these arguments, to its end.
    pub(crate) fn run(&self, args: &[&str]) -> CommandResult {
        RunningCommand::new(&mut self.loop_command(args)).finish()
    }

    /// Writes this manifest to `loop.json`.
    pub(crate) fn manifest(&self, manifest: &Manifest) {
        self.write("loop.json", serde_json::to_string_pretty(&manifest.0).expect("JSON"));
    }

    /// Runs `loop run` with this manifest, to its end.
    pub(crate) fn run_manifest(&self, manifest: &Manifest) -> CommandResult {
        self.start_manifest(manifest).finish()
    }

    /// Starts `loop run` with this manifest.
    pub(crate) fn start_manifest(&self, manifest: &Manifest) -> RunningCommand {
        self.manifest(manifest);
        RunningCommand::new(&mut self.loop_command(&["run", "loop.json"]))
    }

    /// Returns all written records.
    pub(crate) fn records(&self) -> Vec<Value> {
        let lines = fs::read_to_string(self.state().join("telemetry.jsonl")).unwrap_or_default();
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns the only written record.
    pub(crate) fn record(&self) -> Value {
        let mut records = self.records();
        assert_eq!(records.len(), 1, "{records:?}");
        records.remove(0)
    }

    /// Creates a named pipe. A process that keeps it open for writing is known to be alive, and later known to be gone.
    pub(crate) fn fifo(&self, name: &str) -> Fifo {
        let path = self.path(name);
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
        assert!(made.success());
        let (heard, news) = mpsc::channel();
        thread::spawn(move || {
            let mut fifo = BufReader::new(File::open(path).expect("a named pipe"));
            let mut line = String::new();
            while fifo.read_line(&mut line).is_ok_and(|read| read > 0) {
                let _ = heard.send(std::mem::take(&mut line));
            }
        });
        Fifo(news)
    }
}

/// The text written to a named pipe.
pub(crate) struct Fifo(mpsc::Receiver<String>);

impl Fifo {
    /// Waits for a line.
    pub(crate) fn line(&self) -> String {
        self.0.recv_timeout(PATIENCE).expect("a line")
    }

    /// Waits until no process holds it any more.
    pub(crate) fn released(&self) {
        let end = self.0.recv_timeout(PATIENCE);
        assert_eq!(end, Err(mpsc::RecvTimeoutError::Disconnected), "somebody still holds the pipe");
    }
}

/// A running command.
pub(crate) struct RunningCommand {
    child: Child,
    stdout: StreamReader,
    stderr: StreamReader,
}

impl RunningCommand {
    /// Starts it, with empty input unless `command` sets one.
    pub(crate) fn new(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::as_it_is(command)
    }

    /// Starts it with the inputs and outputs that it has.
    pub(crate) fn as_it_is(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("it can be started");
        let (stdout, stderr) =
            (StreamReader::new(child.stdout.take()), StreamReader::new(child.stderr.take()));
        Self { child, stdout, stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("it is still there");
    }

    /// Waits until the command has printed this on its standard error.
    pub(crate) fn says(&self, text: &str) {
        wait_until(text, || self.stderr.so_far().contains(text));
    }

    /// Returns the output so far on its standard output.
    pub(crate) fn printed(&self) -> String {
        self.stdout.so_far()
    }

    /// Returns whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it can be waited for").is_some()
    }

    /// Waits for the end of a killed command. Processes that it left behind may hold its streams.
    pub(crate) fn killed(mut self) {
        wait_until("the command is gone", || self.has_ended());
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self) -> CommandResult {
        let mut status = None;
        wait_until("the command ends", || {
            status = self.child.try_wait().expect("it can be waited for");
            status.is_some()
        });
        let status = status.expect("it has ended");
        let code = status.code().unwrap_or_else(|| panic!("it ended by itself, and not so: {status}"));
        CommandResult { code, stdout: self.stdout.whole(), stderr: self.stderr.whole() }
    }
}

impl Drop for RunningCommand {
    /// Ends the loop politely after a failed test, so that it also ends its agent.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        }
    }
}

/// A stream that is read while it is written.
pub(crate) struct StreamReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl StreamReader {
    pub(crate) fn new(stream: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let copy = Arc::clone(&bytes);
        let reader = stream.map(|mut stream| {
            thread::spawn(move || {
                let mut buffer = [0; 8192];
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    copy.lock().expect("no panic").extend_from_slice(&buffer[..count]);
                }
            })
        });
        Self { bytes, reader }
    }

    pub(crate) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().expect("no panic")).into_owned()
    }

    pub(crate) fn whole(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            wait_until("the stream ends", || reader.is_finished());
        }
        self.so_far()
    }
}

/// A finished command.
#[derive(Debug)]
pub(crate) struct CommandResult {
    /// Its exit code.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandResult {
    /// Checks the exit code. On failure it shows the output.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks that the standard error contains all of these texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "`{text}` is not said:\n{}", self.stderr);
        }
        self
    }

    /// Checks that each of these texts is on its standard output.
    #[track_caller]
    pub(crate) fn prints(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stdout.contains(text), "`{text}` is not printed:\n{}", self.stdout);
        }
        self
    }
}
