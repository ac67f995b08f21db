//! No call reads, writes, moves or removes a file outside a workspace, or reads a secret in it, whatever its tree and
//! its links, and whatever is renamed during the call.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use proptest::{prelude::*, sample::select, test_runner::TestCaseResult};

/// The content of every file outside, and of every secret.
const HIDDEN: &str = "HIDDEN";

#[derive(Debug, Clone)]
enum Node {
    File(PathBuf),
    Folder(PathBuf),
    Link(PathBuf, String),
}

#[derive(Debug, Clone)]
enum Call {
    Read(String),
    Write(String),
    List(String),
    Make(String),
    Remove(String),
    Move(String, String),
}

fn name() -> impl Strategy<Value = &'static str> {
    select(&["a", "b", "c", "link", ".env", "id_rsa"][..])
}

fn place() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.iter().collect())
}

/// Generates a requested path. `OUT` means the folder next to the workspace, and `IN` means the workspace.
fn asked() -> impl Strategy<Value = String> {
    let part = prop_oneof![6 => name().boxed(), 2 => select(&["..", ".", ""][..]).boxed()];
    let parts = prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"));
    prop_oneof![
        6 => parts.clone(),
        1 => parts.clone().prop_map(|path| format!("IN/{path}")),
        1 => parts.prop_map(|path| format!("OUT/{path}")),
    ]
}

fn target() -> impl Strategy<Value = String> {
    let fixed = [
        "OUT",
        "OUT/a",
        "OUT/new",
        "../outside",
        "../../outside",
        "../outside/a",
        "..",
        ".",
        "IN/a",
        "IN/.env",
        "/",
    ];
    prop_oneof![3 => select(fixed.to_vec()).prop_map(str::to_owned), 2 => asked()]
}

fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        place().prop_map(Node::File),
        place().prop_map(Node::Folder),
        (place(), target()).prop_map(|(path, target)| Node::Link(path, target)),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        asked().prop_map(Call::Read),
        asked().prop_map(Call::Write),
        asked().prop_map(Call::List),
        asked().prop_map(Call::Make),
        asked().prop_map(Call::Remove),
        (asked(), asked()).prop_map(|(from, to)| Call::Move(from, to)),
    ]
}

/// A folder with a workspace and its outside.
struct Scenario {
    _folder: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
}

impl Scenario {
    fn new(nodes: &[Node]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (inside, outside) = (top.join("inside"), top.join("outside"));
        fs::create_dir_all(outside.join("a/b")).unwrap();
        for file in ["x", "a/x", "a/b/x", "a/c", "c"] {
            fs::write(outside.join(file), HIDDEN).unwrap();
        }
        fs::create_dir(&inside).unwrap();
        let scenario = Self { _folder: folder, inside, outside };
        // Leave out nodes that conflict with existing ones.
        nodes.iter().for_each(|node| drop(scenario.add(node)));
        scenario
    }

    fn add(&self, node: &Node) -> std::io::Result<()> {
        let (Node::File(path) | Node::Folder(path) | Node::Link(path, _)) = node;
        let mut folder = self.inside.clone();
        // Never follow a link, so that the outside stays unchanged.
        for name in path.parent().into_iter().flatten() {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Ok(()),
                Err(_) => fs::create_dir(&folder)?,
            }
        }
        let path = self.inside.join(path);
        match node {
            Node::File(_) if fs::symlink_metadata(&path).is_ok() => Ok(()),
            Node::File(at) => fs::write(&path, if is_secret(at) { HIDDEN } else { "shown" }),
            Node::Folder(_) => fs::create_dir(&path),
            Node::Link(_, target) => symlink(self.with_origin(target), &path),
        }
    }

    fn with_origin(&self, path: &str) -> String {
        let place = |name: &str, folder: &Path| {
            path.strip_prefix(name).map(|rest| format!("{}{rest}", folder.display()))
        };
        place("OUT", &self.outside).or_else(|| place("IN", &self.inside)).unwrap_or_else(|| path.to_owned())
    }

    fn call(&self, workspace: &Workspace, call: &Call) -> TestCaseResult {
        match call {
            Call::Read(path) => {
                if let Ok(mut opened) = workspace.read(&self.with_origin(path)) {
                    let mut text = String::new();
                    opened.file.read_to_string(&mut text).unwrap();
                    prop_assert_ne!(text, HIDDEN, "{} is {}", path, opened.path);
                }
            }
            Call::Write(path) => drop(workspace.write(&self.with_origin(path), b"written")),
            Call::List(path) => {
                let listed = workspace.list(&self.with_origin(path)).unwrap_or_default();
                prop_assert!(listed.iter().all(|entry| entry.name != "x"), "{} lists the outside", path);
            }
            Call::Make(path) => drop(workspace.create_dir(&self.with_origin(path))),
            Call::Remove(path) => drop(workspace.remove(&self.with_origin(path))),
            Call::Move(from, to) => drop(workspace.rename(&self.with_origin(from), &self.with_origin(to))),
        }
        Ok(())
    }
}

fn is_secret(path: &Path) -> bool {
    path.iter().any(|name| name == ".env" || name == "id_rsa")
}

/// Ends the exchange, even if a call's check has failed.
pub(crate) struct StopOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns all paths in a folder, with the contents of its files.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            all.extend(contents(&path));
            all.insert(path, None);
        } else {
            let text = fs::read_to_string(&path).ok();
            all.insert(path, text);
        }
    }
    all
}

/// Replaces folders with links and restores them, until it must stop.
#[cfg(target_os = "linux")]
fn exchange(inside: &Path, done: &AtomicBool) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    while !done.load(Ordering::Relaxed) {
        for name in ["a", "b", "c", "link"] {
            // This may fail where there is nothing to exchange.
            let _ = renameat_with(CWD, inside.join(name), CWD, inside.join("trap"), RenameFlags::EXCHANGE);
        }
        thread::yield_now();
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(inside: &Path, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        for (from, to) in [("a", "spare"), ("trap", "a"), ("a", "trap"), ("spare", "a")] {
            let _ = fs::rename(inside.join(from), inside.join(to));
        }
        thread::yield_now();
    }
}

fn holds(nodes: &[Node], calls: &[Call]) -> TestCaseResult {
    let scenario = Scenario::new(nodes);
    symlink(&scenario.outside, scenario.inside.join("trap")).unwrap();
    let before = contents(&scenario.outside);
    let workspace = Workspace::open(&scenario.inside, ActionPolicy::default()).unwrap();
    let done = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        let _ = scope.spawn(|| exchange(&scenario.inside, &done));
        let _done = StopOnDrop(&done);
        calls.iter().try_for_each(|call| scenario.call(&workspace, call))
    });
    prop_assert_eq!(contents(&scenario.outside), before);
    let beside: Vec<_> = fs::read_dir(scenario.inside.parent().unwrap()).unwrap().flatten().collect();
    prop_assert_eq!(beside.len(), 2, "something was made beside the workspace");
    result
}

fn check(cases: u32) {
    let config = ProptestConfig { cases, max_shrink_iters: 200, ..ProptestConfig::default() };
    proptest!(config, |(
        nodes in prop::collection::vec(node(), 0..10),
        calls in prop::collection::vec(call(), 1..10),
    )| {
        holds(&nodes, &calls)?;
    });
}

#[test]
fn nothing_outside_is_touched_and_no_secret_is_read() {
    check(2_000);
}

#[test]
#[ignore = "takes minutes: for the nightly run"]
fn nothing_outside_is_touched_and_no_secret_is_read_in_many_more_scenarios() {
    check(100_000);
}
