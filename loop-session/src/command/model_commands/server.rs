//! `/ollama` and `/llamafile`: the model servers on this machine.

use async_trait::async_trait;
use loop_core::with_causes;
use loop_manifest::model::ServerLine;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The command with one of the two names. Both take the same words.
pub(in crate::command) struct ServerCommand(pub(in crate::command) &'static CommandInfo);

const SUMMARY: &str = "Start and stop model servers, and manage their models";

const HELP: &str = "`start NAME` and `stop NAME` are about the servers of `[servers]` in your settings, `status` shows \
                    which servers answer, and `files` lists `~/Models`. `list`, `ps`, `pull`, `push`, `show`, `create`, \
                    `cp`, `rm`, `probe` and `env` are about Ollama. `use MODEL` is `/model use MODEL`.";

const WORDS: ArgumentKind = ArgumentKind::Words(&[
    "start", "stop", "status", "list", "ps", "pull", "push", "show", "create", "cp", "rm", "probe", "files",
    "env", "use",
]);

pub(in crate::command) const OLLAMA: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "ollama",
    aliases: &[],
    arguments: "[WORD ...]",
    summary: SUMMARY,
    help: HELP,
    argument_kind: WORDS,
};

pub(in crate::command) const LLAMAFILE: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "llamafile",
    aliases: &[],
    arguments: "[WORD ...]",
    summary: "The same as `/ollama`, with `list` for the files in `~/Models`",
    help: HELP,
    argument_kind: WORDS,
};

#[async_trait]
impl Command for ServerCommand {
    fn info(&self) -> &'static CommandInfo {
        self.0
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let mut words: Vec<_> = arguments.split_whitespace().collect();
        if let ["use", model] = words[..] {
            session.use_model(model)?;
            session.say(&format!("{} answers from now on", session.host().one_line(model)));
            return Ok(());
        }
        if self.0.name == LLAMAFILE.name && words == ["list"] {
            words = vec!["files"];
        }
        let refused = |error: &dyn std::error::Error| InputError::Refused(with_causes(error));
        let line = ServerLine::parse(&words).map_err(|error| refused(&error))?;
        let (stop, host) = (session.stop(), session.host().clone());
        let mut last = String::new();
        let mut on_progress = |progress: &loop_agents::servers::PullProgress| {
            // A session shows each step and each tenth of it once.
            let step = format!("{}{:?}", progress.status, progress.percent().map(|percent| percent / 10));
            if step != last {
                host.say(&host.one_line(&progress.to_string()));
                last = step;
            }
        };
        let (settings, execution) = (&session.context.settings, &session.context.execution);
        let text = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            text = line.run(settings, execution, true, &mut on_progress) => text.map_err(|error| refused(&error))?,
        };
        session.say(&session.host().printable(&text));
        Ok(())
    }
}
