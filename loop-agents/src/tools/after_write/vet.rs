//! `go vet`, the sensor for Go.

use loop_guardrails::policy::{Verb, workspace::Workspace};

use super::style_file;
use crate::tools::ToolContext;

/// Returns the line that examines a package with what is installed, and without what the package could make Go start or
/// fetch: a C compiler, another version of Go, and other modules.
pub(super) fn line(folder: &str) -> String {
    let quoted = folder.replace('\'', r"'\''");
    format!(
        "CGO_ENABLED=0 GOTOOLCHAIN=local GOPROXY=off GOWORK=off GOFLAGS=-mod=readonly go vet './{quoted}'"
    )
}

/// Returns whether this file is in a module.
pub(super) async fn is_in_module(path: &str, cx: &ToolContext) -> bool {
    let path = path.to_owned();
    let found =
        cx.blocking(move |workspace, _| Ok(style_file::nearest(workspace, &path, &["go.mod"]).is_some()));
    found.await.unwrap_or(false)
}

/// Returns what the output says about files that a tool may read. Go quotes words of every file that it reads, and a link
/// in the package can lead to any.
pub(super) async fn of_readable_files(output: String, cx: &ToolContext) -> String {
    let kept = cx.blocking(move |workspace, _| Ok(readable_lines(&output, workspace).join("\n")));
    kept.await.unwrap_or_default()
}

fn readable_lines<'a>(output: &'a str, workspace: &Workspace) -> Vec<&'a str> {
    let mut is_kept = false;
    let kept = output.lines().filter(|line| {
        // Indented lines belong to the one before.
        if !line.starts_with([' ', '\t']) {
            let place = line.strip_prefix("vet: ").unwrap_or(line).split_once(':');
            is_kept = place.is_some_and(|(file, rest)| {
                rest.starts_with(|sign: char| sign.is_ascii_digit())
                    && file.ends_with(".go")
                    && workspace.check(file, Verb::Read).is_ok()
            });
        }
        is_kept
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use loop_guardrails::policy::ActionPolicy;

    use super::*;

    #[test]
    fn words_of_files_that_no_tool_may_read_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        fs::write(folder.path().join("m.go"), "package m\n").unwrap();
        fs::write(folder.path().join("deploy.key"), "hunter2\n").unwrap();
        symlink("deploy.key", folder.path().join("key.go")).unwrap();
        symlink(outside.path(), folder.path().join("out.go")).unwrap();
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
        let output = "# example.org/m\n./m.go:2:1: x declared and not used\n\tmore\nkey.go:1:1: expected 'package', \
                      found hunter2\n\thunter2\nvet: ./out.go:1:1: found hunter2\ngo: ./go.mod:1: hunter2\nvet: \
                      ./m.go:3:1: undefined: y\n";
        assert_eq!(
            readable_lines(output, &workspace),
            ["./m.go:2:1: x declared and not used", "\tmore", "vet: ./m.go:3:1: undefined: y"]
        );
    }
}
