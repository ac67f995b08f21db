//! `/read-dir`: the text files of a folder for the model.

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{Kind, Workspace};

use super::{
    About, Command, Takes,
    folder::{depth, or_here},
};
use loop_telemetry::words;

use crate::{InputError, Session};

/// How many levels are read, unless somebody says.
const DEPTH: u32 = 2;

/// How much is read in all, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// How many files are looked at.
const MOST_FILES: usize = 500;

pub(crate) struct ReadDir;

const ABOUT: About = About {
    name: "read-dir",
    aliases: &[],
    arguments: "[PATH] [--depth N]",
    summary: "Show the text files of a folder to the model",
    help: "Two levels deep, unless `--depth` says otherwise; 256 KiB in all. Hidden files, secrets and what is no text \
           are passed over.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for ReadDir {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (path, depth) = depth(&ABOUT, arguments)?;
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
            session.give_model(&format!("the files of {}", or_here(path)), &texts);
        }
        let rest = if passed_over == 0 { String::new() } else { format!("; {passed_over} passed over") };
        session.say(&format!("read {}, {size}{rest}", words::count(read, "file")));
        remarks.iter().for_each(|remark| session.say(&format!("  {remark}")));
        Ok(())
    }
}

/// The files that may be read, so many levels deep, in the order of their names.
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
            Kind::File => found.push(inner),
            // One that cannot be listed, or is gone by now, is passed over.
            Kind::Folder if levels > 1 => drop(files(workspace, &inner, levels - 1, found)),
            _ => {}
        }
    }
    Ok(())
}
