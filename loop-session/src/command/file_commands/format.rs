//! `/format`: formats files.

use async_trait::async_trait;
use loop_agents::tools::FormatOutcome;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct FormatCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "format",
    aliases: &[],
    arguments: "FILE...",
    summary: "Format files with the formatters of their languages",
    help: "A formatter prints the new file, which replaces the old one at once. A file that a formatter cannot read stays \
           as it was. `[formatters]` in your own settings adds formatters.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for FormatCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let files = INFO.words(arguments)?;
        if files.is_empty() {
            return Err(INFO.misused("name the files"));
        }
        let (stop, mut failed) = (session.stop(), 0);
        for file in &files {
            let outcome = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(InputError::Interrupted),
                outcome = session.tools.toolbox.format(file) => outcome,
            };
            failed += usize::from(matches!(outcome, FormatOutcome::Failed { .. }));
            session.say(&session.host().printable(&format!("{file}: {outcome}")));
        }
        match failed {
            0 => Ok(()),
            _ => Err(InputError::refused(format!("{failed} of {} not formatted", files.len()))),
        }
    }
}
