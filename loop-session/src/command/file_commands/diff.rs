//! `/diff`: what changed in the folder since the session began.

use async_trait::async_trait;
use loop_agents::tools::{FileDiff, FileDiffKind};
use loop_telemetry::words::style::{BOLD, DIM, paint};

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, SessionHost,
    approval::painted_rows, session::FolderChanges,
};

pub(in crate::command) struct DiffCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "diff",
    aliases: &[],
    arguments: "[PATH]",
    summary: "Show what changed in the folder since the session began",
    help: "It compares files that tools wrote, and new files, with what was there before. For other files, which commands \
           or other programs changed, it shows the changes since the commit that was checked out when the session began: \
           these include what was uncommitted then. Without a repository it only names those files. It leaves out new \
           files that git ignores, and looks at 50,000 files at most. A resumed session begins anew.",
    argument_kind: ArgumentKind::Paths,
};

/// The length of a commit's short name.
const SHORT_COMMIT: usize = 10;

#[async_trait]
impl Command for DiffCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let path = match &words[..] {
            [] => "",
            [path] => path,
            _ => return Err(INFO.misused("one path at a time")),
        };
        let changes = session.folder_changes(path).await?;
        let text = formatted(&changes, session.host());
        session.say(if text.is_empty() { "nothing has changed since the session began" } else { &text });
        Ok(())
    }
}

fn formatted(changes: &FolderChanges, host: &SessionHost) -> String {
    let FolderChanges { files, others, since_commit, unknown } = changes;
    let mut parts: Vec<_> = files.iter().map(|file| file_text(file, host)).collect();
    if !others.is_empty() {
        let names: Vec<_> = others.iter().map(|path| format!("  {}", host.one_line(path))).collect();
        let heading = paint(BOLD, "Commands or other programs changed:");
        parts.push(format!("{heading}\n{}", names.join("\n")));
    }
    if let Some((commit, diff)) = since_commit {
        let commit = commit.get(..SHORT_COMMIT).unwrap_or(commit);
        let heading = paint(BOLD, format_args!("These files since commit {commit}:"));
        parts.push(format!("{heading}\n{}", painted_rows(diff, host)));
    }
    parts.extend(unknown.iter().map(|gap| paint(DIM, format_args!("not known: {}", host.one_line(gap)))));
    parts.join("\n")
}

fn file_text(file: &FileDiff, host: &SessionHost) -> String {
    let kind = match file.kind {
        FileDiffKind::Created => "new",
        FileDiffKind::Changed => "changed",
        FileDiffKind::Removed => "removed",
    };
    let heading = paint(BOLD, format_args!("{} ({kind})", host.one_line(&file.path)));
    let text = match &file.diff {
        Ok(diff) => painted_rows(diff, host),
        Err(why) => paint(DIM, format_args!("(not shown: {})", host.one_line(why))),
    };
    if text.is_empty() { heading } else { format!("{heading}\n{text}") }
}
