//! Fuzzes the paths and commands that a model requests: none of them reads a file outside the workspace, or a secret.

#![no_main]

use std::{fs, io::Read, os::unix::fs::symlink, path::PathBuf, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use loop_guardrails::policy::{ActionPolicy, Verb, workspace::Workspace};
use tempfile::TempDir;

/// The content of every file that must not be read.
const HIDDEN: &str = "HIDDEN";

struct Scenario {
    _folder: TempDir,
    inside: PathBuf,
    workspace: Workspace,
}

static WORLD: LazyLock<Scenario> = LazyLock::new(|| Scenario::new().expect("a folder with links"));

impl Scenario {
    fn new() -> std::io::Result<Self> {
        let folder = TempDir::with_prefix("paths")?;
        let top = folder.path().canonicalize()?;
        let (inside, outside) = (top.join("in"), top.join("out"));
        fs::create_dir_all(inside.join("a/b"))?;
        fs::create_dir_all(outside.join("a"))?;
        for file in ["x", "a/x", "a/.env"] {
            fs::write(outside.join(file), HIDDEN)?;
        }
        for file in [".env", "id_rsa", "a/k.pem", "a/b/credentials"] {
            fs::write(inside.join(file), HIDDEN)?;
        }
        for file in ["x", "a/x", "a/b/x"] {
            fs::write(inside.join(file), "open")?;
        }
        for (link, target) in [
            ("l", "../out"),
            ("a/l", "../../out/x"),
            ("a/b/l", "../../a"),
            ("s", ".env"),
            ("o", "o"),
            ("r", "/"),
            ("u", ".."),
        ] {
            symlink(target, inside.join(link))?;
        }
        symlink(&outside, inside.join("a/m"))?;
        symlink(inside.join("a"), inside.join("n"))?;
        let workspace = Workspace::open(&inside, ActionPolicy::default())
            .map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self { _folder: folder, inside, workspace })
    }

    fn read(&self, path: &str) {
        let Ok(opened) = self.workspace.read(path) else { return };
        let mut text = String::new();
        opened.file.take(100).read_to_string(&mut text).ok();
        assert!(!text.contains(HIDDEN), "`{path}` was read");
    }

    /// Returns the target of a path with links followed, if it exists.
    fn assert_inside(&self, path: &str) {
        if let Ok(found) = self.inside.join(path).canonicalize() {
            assert!(found.starts_with(&self.inside), "`{path}` leads to {}", found.display());
        }
    }
}

fuzz_target!(|text: &str| {
    let scenario = &*WORLD;
    scenario.read(text);
    // Absolute paths, below the workspace and next to it.
    scenario.read(&format!("{}/{text}", scenario.inside.display()));
    if scenario.workspace.check(text, Verb::Read).is_ok() {
        scenario.assert_inside(text);
    }
    if let Ok(command) = scenario.workspace.check_command(text) {
        command.paths.iter().for_each(|path| scenario.assert_inside(path));
    }
    let explanation = scenario.workspace.explain(text);
    assert!(!explanation.ruling.rule.is_empty());
});
