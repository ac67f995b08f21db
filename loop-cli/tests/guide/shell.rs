//! The reader of the guide: a shell in an empty folder.

use std::{
    env,
    ffi::OsString,
    fmt::Write,
    fs::{self, File, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use book_tests::Action;
use loop_testing::{Answer, ScriptedServer};
use regex::{Captures, Regex};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Marks the end of a command's output. No text contains it.
const MARK: char = '\u{1e}';

/// The time limit of a session, in seconds. We compare its output up to then.
const PATIENCE: &str = "300";

/// Matches the id of a run or a job, or a prefix of one.
pub(crate) const ID: &str = r"\b[0-9a-f]{8}(-[0-9a-f]{1,4}){0,3}(-[0-9a-f]{12})?\b";

/// Text that an interactive shell leaves out: its script, the line and the killed process.
const KILLED: &str = r"(?m)^\S+: line \d+: +\d+ Killed.*$";

/// A person with a home, an empty folder, Claude Code on `PATH`, and perhaps a scripted model.
pub(crate) struct GuideReader {
    // Dropped before the runtime on which it runs.
    model: Option<ScriptedServer>,
    _runtime: Runtime,
    root: TempDir,
}

impl GuideReader {
    /// Creates a reader. Without answers there is no model.
    pub(crate) fn new(answers: &[&str]) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let script: Vec<_> = answers.iter().map(|text| Answer::deltas([*text]).usage(210, 12)).collect();
        let server = || runtime.block_on(ScriptedServer::start(script)).expect("a server");
        let model = (!answers.is_empty()).then(server);
        let root = tempfile::tempdir().expect("a folder");
        let reader = Self { model, _runtime: runtime, root };
        for folder in ["bin", "tmp", "home/project"] {
            fs::create_dir_all(reader.path(folder)).expect("a folder");
        }
        symlink(env!("CARGO_BIN_EXE_loop"), reader.path("bin/loop")).expect("a link");
        // `loop` looks for this program on every machine, and the tests never run it.
        fs::write(reader.path("bin/claude"), "#!/bin/sh\nexit 1\n").expect("a script");
        fs::set_permissions(reader.path("bin/claude"), Permissions::from_mode(0o755)).expect("its mode");
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), reader.path("home/loop")).expect("a link");
        reader
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Runs the commands, and returns the output of each, in order.
    pub(crate) fn follow(&self, actions: &[Action<'_>]) -> Vec<String> {
        let (script, printed) = (self.path("session.sh"), self.path("printed"));
        fs::write(&script, typed(actions, &printed)).expect("a script");
        // The output goes to a file, so that commands can search it.
        let output = File::create(&printed).expect("a file");
        let mut shell = self.command("timeout");
        let errors = output.try_clone().expect("a file");
        shell.args([PATIENCE, "bash", "--noprofile", "--norc"]).arg(&script).stdout(output).stderr(errors);
        shell.status().expect("bash runs");
        let all = String::from_utf8_lossy(&fs::read(printed).expect("what was printed")).into_owned();
        let all = all.replace(&*self.path("home").to_string_lossy(), "/home/you");
        let all = Regex::new(KILLED).expect("a pattern").replace_all(&all, "Killed").into_owned();
        let mut parts: Vec<_> = all.split(MARK).map(str::to_owned).collect();
        // No command printed the text after the last mark.
        let rest = parts.pop().unwrap_or_default();
        let commands = actions.iter().filter(|action| matches!(action, Action::Run { .. })).count();
        assert_eq!(parts.len(), commands, "the session broke off: {}{rest}", parts.concat());
        parts
    }

    /// Returns the command for a program in the reader's folder, with a fixed environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut path = OsString::from(self.path("bin"));
        path.push(":");
        path.push(env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command.current_dir(self.path("home/project")).stdin(Stdio::null()).env_clear();
        command.env("PATH", path).env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        command.env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
        for (name, usual) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let home = env::var_os("HOME").map(|home| Path::new(&home).join(usual).into_os_string());
            command.envs(env::var_os(name).or(home).map(|place| (name, place)));
        }
        if let Some(model) = &self.model {
            command.env("OPENAI_BASE_URL", model.url()).env("OPENAI_API_KEY", "not-a-key");
        }
        command
    }
}

/// Returns the session as a script. If a command names an id, it means the id that was printed last, because the ids in
/// the page differ from those of this session.
fn typed(actions: &[Action<'_>], printed: &Path) -> String {
    let id = Regex::new(ID).expect("a pattern");
    let last = format!("$(grep -oE '{ID}' {} | tail -n 1)", printed.display());
    let mut script = String::new();
    for action in actions {
        let written = match action {
            Action::Write { file, text } => {
                write!(script, "mkdir -p \"$(dirname {file})\"; cat > {file} <<'{MARK}'\n{text}{MARK}\n")
            }
            Action::Run { command, .. } => {
                let command = id.replace_all(command, |_: &Captures<'_>| last.as_str());
                // The mark leaves `$?` unchanged.
                write!(script, "{command}\nstatus=$?; printf '{MARK}'; (exit $status)\n")
            }
        };
        written.expect("a string takes all");
    }
    script
}
