use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::tools::{ToolReport, Toolbox};

/// A workspace, and a folder of programs outside of it.
struct Place {
    folder: TempDir,
    programs: TempDir,
}

impl Place {
    fn with(program: &str, script: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), programs: tempfile::tempdir().unwrap() };
        install(place.programs.path(), program, script);
        place
    }

    fn toolbox(&self, after: AfterWrite) -> Toolbox {
        let workspace = Workspace::open(self.folder.path(), ActionPolicy::default()).unwrap();
        let path = format!("{}:/usr/bin:/bin", self.programs.path().display());
        Toolbox::standard(workspace)
            .environment([("PATH", path)], &EnvironmentPolicy::new())
            .after_write(after)
    }

    async fn writes(&self, after: AfterWrite, path: &str, content: &str) -> ToolReport {
        self.toolbox(after).call("write_file", &json!({ "path": path, "content": content })).await
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

fn install(folder: &Path, program: &str, script: &str) {
    let path = folder.join(program);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_written_file_is_formatted_and_the_model_reads_so() {
    let place = Place::with("rustfmt", "echo \"$@\" >&2; tr -s ' '");
    let report = place.writes(AfterWrite::default(), "src/a.rs", "fn  main() {}\n").await;
    assert_eq!(report.text, "wrote 14 bytes to src/a.rs\nformatted by rustfmt");
    assert_eq!(place.read("src/a.rs"), "fn main() {}\n");
    let again = place.writes(AfterWrite::default(), "src/a.rs", "fn main() {}\n").await;
    assert_eq!(again.text, "wrote 13 bytes to src/a.rs");
    let off = place.writes(AfterWrite::default().formats(false), "src/a.rs", "fn  b() {}\n").await;
    assert_eq!(
        (off.text.as_str(), place.read("src/a.rs").as_str()),
        ("wrote 11 bytes to src/a.rs", "fn  b() {}\n")
    );
    assert_eq!(
        place.toolbox(AfterWrite::default().formats(false)).format("src/a.rs").await.to_string(),
        "formatted by rustfmt"
    );
}

#[tokio::test]
async fn a_formatter_that_fails_leaves_the_file_byte_for_byte() {
    let cases = [
        ("echo 'error: expected `;`' >&2; exit 1", "error: expected `;`"),
        ("exit 3", "it ended with 3"),
        ("cat >/dev/null", "other words"),
        ("echo 'error: cannot read the input'", "other words"),
        ("cat; kill -9 $$", "it ended with 137"),
        ("printf '\\377'; cat", "it printed no text"),
    ];
    for (script, reason) in cases {
        let place = Place::with("gofmt", script);
        let report = place.writes(AfterWrite::default(), "a.go", "package  main\n").await;
        assert!(
            report.text.contains("not formatted, because gofmt failed") && report.text.contains(reason),
            "{}",
            report.text
        );
        assert_eq!(
            (report.outcome, place.read("a.go").as_str()),
            (crate::tools::ToolOutcome::Done, "package  main\n")
        );
    }
}

#[tokio::test]
async fn a_formatter_that_hangs_is_ended() {
    let place = Place::with("black", "exec tail -f /dev/null");
    let report = place
        .writes(
            AfterWrite { format_time: Duration::from_millis(50), ..AfterWrite::default() },
            "a.py",
            "x  = 1\n",
        )
        .await;
    assert!(report.text.contains("black failed: it was ended"), "{}", report.text);
    assert_eq!(place.read("a.py"), "x  = 1\n");
}

#[tokio::test]
async fn what_the_workspace_brings_does_not_choose_the_program() {
    let place = Place::with("prettier", "echo \"$@\" >&2; exit 1");
    install(place.folder.path(), "gofmt", "touch owned; cat");
    let call = place.writes(AfterWrite::default(), "a.go", "package  main\n").await;
    assert!(!call.text.contains("formatted") || !place.folder.path().join("owned").exists());
    // Data is a style. A program is not run.
    let style = |name: &str, text: &str| fs::write(place.folder.path().join(name), text).unwrap();
    let report = place.writes(AfterWrite::default(), "a.md", "# A\n").await;
    assert!(report.text.contains("--no-config"), "{}", report.text);
    style(".prettierrc", "tabWidth: 4\n");
    let report = place.writes(AfterWrite::default(), "b/a.md", "# A\n").await;
    assert!(report.text.contains("--config /"), "{}", report.text);
    style(".prettierrc", "plugins: [./evil.js]\n");
    let report = place.writes(AfterWrite::default(), "a.md", "# A\n").await;
    assert!(report.text.ends_with("failed: the style in `.prettierrc` may run a program"), "{}", report.text);
}

#[tokio::test]
async fn a_file_that_needs_a_persons_yes_is_not_changed_afterwards() {
    let place = Place::with("prettier", "tr -s ' '");
    fs::write(place.folder.path().join("AGENTS.md"), "a  b\n").unwrap();
    let toolbox = place.toolbox(AfterWrite::default());
    assert_eq!(toolbox.format("AGENTS.md").await, FormatOutcome::NoFormatter);
    assert_eq!(place.read("AGENTS.md"), "a  b\n");
    assert_eq!(toolbox.format("missing.rs").await.to_string().split(':').next(), Some("failed"));
    assert_eq!(toolbox.format("poem").await, FormatOutcome::NoFormatter);
}

#[tokio::test]
async fn the_model_reads_what_a_sensor_says() {
    let place = Place::with("lint", "grep -n bad $LOOP_FILE src/a.txt && exit 1; exit 0");
    let after = || {
        let sensor = FileCommand::new("*.txt", "lint").unwrap();
        let missing = FileCommand::new("*.txt", "no-such-program-here").unwrap();
        AfterWrite::default().sensors([sensor.clone(), sensor, missing])
    };
    let report = place.writes(after(), "src/a.txt", "good\nbad\n").await;
    assert_eq!(report.text, "wrote 9 bytes to src/a.txt\n2:bad\n[... `lint`: exit 1 ...]");
    assert_eq!((report.commands.len(), report.commands[0].exit_code), (1, 1));
    assert_eq!(place.writes(after(), "src/a.txt", "good\n").await.text, "wrote 5 bytes to src/a.txt");
    // A call that wrote nothing is not examined.
    let read = place.toolbox(after()).call("read_file", &json!({ "path": "src/a.txt" })).await;
    assert!(read.commands.is_empty());
}

#[test]
fn a_pattern_with_a_slash_is_one_of_paths() {
    let is_for = |files: &str, path: &str| FileCommand::new(files, "true").unwrap().is_for(path);
    assert!(is_for("*.rs", "a/b/c.rs") && is_for("src/**/*.rs", "src/a/b.rs"));
    assert!(!is_for("src/*.rs", "src/a/b.rs") && !is_for("*.rs", "a.rst"));
}
