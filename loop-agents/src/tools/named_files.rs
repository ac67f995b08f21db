//! Adds the files that a prompt names, for models that cannot read files themselves.

use std::io::Read as _;

use loop_guardrails::policy::workspace::Workspace;

use crate::output::excerpt;

/// A larger file appears as its beginning and its end.
const MAX_BYTES: usize = 16 << 10;

/// How much of a file is read.
const READ_BYTES: u64 = 1 << 20;

/// The most files of a prompt.
const MAX_FILES: usize = 20;

/// Endings that make a word look like a file without a `/`.
const EXTENSIONS: [&str; 44] = [
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "go", "h", "hpp", "html", "ini", "java", "js",
    "json", "jsx", "kt", "lock", "log", "lua", "md", "php", "pl", "proto", "py", "r", "rb", "rs", "rst",
    "scala", "scss", "sh", "sql", "swift", "tex", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml", "zig",
];

/// Returns the prompt after the readable text files of the workspace that it names. A word names a file if it contains
/// `/` or ends like one. Files that the policy protects stay out.
///
/// ```
/// # use loop_agents::tools::with_named_files;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("notes.md"), "Buy milk.")?;
/// let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let prompt = with_named_files(&workspace, "What is in `notes.md`, and in other.md?");
/// assert!(prompt.starts_with("### File: notes.md\n\nBuy milk.\n\n"));
/// assert!(prompt.ends_with("What is in `notes.md`, and in other.md?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn with_named_files(workspace: &Workspace, prompt: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for word in prompt.split_whitespace().flat_map(candidates).filter(|word| looks_like_a_file(word)) {
        if !names.contains(&word) {
            names.push(word);
        }
    }
    let files = names.into_iter().filter_map(|name| Some((name, text_of(workspace, name)?))).take(MAX_FILES);
    let sections: String = files.map(|(name, text)| format!("### File: {name}\n\n{text}\n\n")).collect();
    sections + prompt
}

/// Returns the word without the punctuation around it, also without a full stop at its end.
fn candidates(word: &str) -> impl Iterator<Item = &str> {
    let around = |sign: char| "\"'`()[]{}<>,;:!?*@".contains(sign);
    let bare = word.trim_matches(around);
    let shorter = bare.trim_end_matches(['.', ',', ':']).trim_matches(around);
    [Some(bare), Some(shorter).filter(|it| *it != bare)].into_iter().flatten()
}

fn looks_like_a_file(word: &str) -> bool {
    let has_extension = word
        .rsplit_once('.')
        .is_some_and(|(name, end)| !name.is_empty() && EXTENSIONS.contains(&end.to_lowercase().as_str()));
    has_extension || word.contains('/')
}

fn text_of(workspace: &Workspace, name: &str) -> Option<String> {
    let opened = workspace.read(name).ok()?;
    let mut bytes = Vec::new();
    opened.file.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
    let is_text = std::str::from_utf8(&bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    if !is_text || bytes.contains(&0) {
        return None;
    }
    let text = excerpt(&bytes, MAX_BYTES);
    let text = text.trim_end();
    Some(match opened.bytes > MAX_BYTES as u64 {
        true => {
            format!("(The file has {} bytes; this is its beginning and its end.)\n\n{text}", opened.bytes)
        }
        false => text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use loop_guardrails::policy::ActionPolicy;

    use super::*;

    #[test]
    fn only_readable_text_files_of_the_workspace_are_added() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        for (name, text) in
            [("src/a.rs", &b"fn a() {}"[..]), ("b.txt", b"\0\x01"), (".env", b"KEY=1"), ("Makefile", b"x:")]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let long = "start\n".to_owned() + &"word ".repeat(10_000) + "\nend";
        fs::write(folder.path().join("long.md"), long).unwrap();
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
        let files = |prompt: &str| {
            let text = with_named_files(&workspace, prompt);
            assert!(text.ends_with(prompt));
            text.lines()
                .filter_map(|line| line.strip_prefix("### File: ").map(str::to_owned))
                .collect::<Vec<_>>()
        };
        assert_eq!(files("Compare (src/a.rs) with @src/a.rs."), ["src/a.rs"]);
        assert_eq!(files("b.txt ./.env /etc/passwd ../x.md src/ Makefile and/or none.md"), [""; 0]);
        let long = with_named_files(&workspace, "Read long.md!");
        assert!(long.contains("start") && long.contains("end") && long.contains("beginning and its end"));
        assert!(long.len() < 20_000);
    }
}
