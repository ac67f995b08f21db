//! Names change their meaning between two steps of one call.

use std::{
    fs,
    io::Read,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::beneath::StopOnDrop;

/// A workspace in which `folder` and `file` alternate between their own contents and links to the outside.
struct Scenario {
    top: tempfile::TempDir,
    workspace: Workspace,
    done: AtomicBool,
}

impl Scenario {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let at = |path: &str| top.path().join(path);
        fs::create_dir_all(at("outside")).unwrap();
        fs::create_dir_all(at("inside/folder")).unwrap();
        for (folder, text) in [("outside", "outside"), ("inside", "inside"), ("inside/folder", "inside")] {
            fs::write(at(folder).join("file"), text).unwrap();
        }
        symlink(at("outside"), at("inside/folder2")).unwrap();
        symlink(at("outside/file"), at("inside/file2")).unwrap();
        let workspace = Workspace::open(at("inside"), ActionPolicy::default()).unwrap();
        Self { workspace, top, done: AtomicBool::new(false) }
    }

    /// Runs `calls` while another thread exchanges files and folders for links.
    fn raced(&self, calls: impl FnOnce(&Workspace)) {
        thread::scope(|scope| {
            let _ = scope.spawn(|| self.exchange());
            let _done = StopOnDrop(&self.done);
            calls(&self.workspace);
        });
    }

    fn exchange(&self) {
        let inside = self.top.path().join("inside");
        let turn = |from: &str, to: &str| {
            renameat_with(CWD, inside.join(from), CWD, inside.join(to), RenameFlags::EXCHANGE).unwrap();
        };
        while !self.done.load(Ordering::Relaxed) {
            turn("folder", "folder2");
            turn("file", "file2");
        }
    }

    fn outside(&self) -> Vec<String> {
        names(&self.top.path().join("outside"))
    }
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_read_never_leads_out() {
    let scenario = Scenario::new();
    scenario.raced(|workspace| {
        for path in ["folder/file", "file"].iter().cycle().take(10_000) {
            let Ok(mut opened) = workspace.read(path) else { continue };
            let mut text = String::new();
            opened.file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "inside", "{path}");
        }
    });
}

#[test]
fn a_write_never_leads_out() {
    let scenario = Scenario::new();
    scenario.raced(|workspace| {
        for number in 0..300 {
            // A refusal because of a link in the way is fine too.
            let _ = workspace.write(&format!("folder/new{}", number % 10), b"inside");
            let _ = workspace.create_dir(&format!("folder/made{}/deep", number % 10));
            let _ = workspace.remove("folder/file");
            let _ = workspace.list("folder");
        }
    });
    assert_eq!(scenario.outside(), ["file"]);
    assert_eq!(fs::read_to_string(scenario.top.path().join("outside/file")).unwrap(), "outside");
}
