//! `/read-dir`: shows the text files of a folder to the model.

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{FileKind, Workspace};

use super::folder_arguments::{depth, or_here};
use loop_telemetry::words;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The default number of levels.
const DEPTH: u32 = 2;

/// The maximum total to read, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// The maximum number of files to examine.
const MOST_FILES: usize = 500;

pub(in crate::command) struct ReadDirCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "read-dir",
    aliases: &[],
    arguments: "[PATH] [--depth N]",
    summary: "Show the text files of a folder to the model",
    help: "Goes two levels deep unless you give `--depth`, and reads 256 KiB in all. The command skips hidden files, \
           secrets and binary files.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for ReadDirCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (path, depth) = depth(&INFO, arguments)?;
        let path = path.as_str();
        let mut found = Vec::new();
        let levels = depth.map_or(DEPTH, Into::into);
        files(&session.tools.workspace, if path.is_empty() { "." } else { path }, levels, &mut found)?;
        let (mut texts, mut read, mut passed_over, mut remarks) = (String::new(), 0, 0, Vec::new());
        for path in &found {
            let file = match session.read(path).await {
                Ok(file) if !file.text.is_empty() && texts.len() + file.text.len() <= MOST_BYTES => file,
                Err(error) if error.is_interrupted() => return Err(error),
                Ok(_) | Err(_) => {
                    passed_over += 1;
                    continue;
                }
            };
            texts.push_str(&format!("### {path}\n\n{}\n\n", file.text.trim_end()));
            remarks.extend(file.remarks().map(|remarks| format!("{path}: {remarks}")));
            read += 1;
        }
        let size = words::bytes(texts.len() as u64);
        if read > 0 {
            session.add_to_context(&format!("the files of {}", or_here(path)), &texts);
        }
        let rest = if passed_over == 0 { String::new() } else { format!("; {passed_over} skipped") };
        session.say(&format!("read {}, {size}{rest}", words::count(read, "file")));
        remarks.iter().for_each(|remark| session.say(&format!("  {remark}")));
        Ok(())
    }
}

/// Collects the readable files down to this depth, ordered by name.
fn files(workspace: &Workspace, path: &str, levels: u32, found: &mut Vec<String>) -> Result<(), InputError> {
    for entry in workspace.list(path)? {
        if found.len() >= MOST_FILES {
            break;
        }
        if entry.name.starts_with('.') || !entry.readable {
            continue;
        }
        let inner = if path == "." {
            entry.name.clone()
        } else {
            format!("{}/{}", path.trim_end_matches('/'), entry.name)
        };
        match entry.kind {
            FileKind::File => found.push(inner),
            // Skips a folder that cannot be listed or no longer exists.
            FileKind::Folder if levels > 1 => drop(files(workspace, &inner, levels - 1, found)),
            _ => {}
        }
    }
    Ok(())
}
