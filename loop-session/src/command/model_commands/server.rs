//! `/ollama` and `/llamafile`: the model servers on this machine.

use async_trait::async_trait;
use loop_core::with_causes;
use loop_manifest::{model::ServerLine, settings::Settings};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The command with one of the two names. Both take the same words.
pub(in crate::command) struct ServerCommand(pub(in crate::command) &'static CommandInfo);

const SUMMARY: &str = "Start and stop model servers, and manage their models";

const HELP: &str = "`start NAME`, `stop NAME` and `logs NAME` are about the servers of `[servers]` in your settings, `status` \
                    shows which servers answer, and `files` lists `~/Models`. `add FILE` adds the server of such a file to \
                    your settings, `alias NAME MODEL` another name for a model, and `drop NAME` removes both. `list`, `ps`, \
                    `pull`, `push`, `show`, `create`, `cp`, `rm`, `probe` and `env` are about Ollama. `use MODEL` is \
                    `/model use MODEL`.";

const WORDS: ArgumentKind = ArgumentKind::Words(&ServerLine::NAMES);

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
        if self.0.name == LLAMAFILE.name && words == ["list"] {
            words = vec!["files"];
        }
        let refused = |error: &dyn std::error::Error| InputError::Refused(with_causes(error));
        let line = ServerLine::parse(&words).map_err(|error| refused(&error))?;
        if let Some(model) = line.wanted_model() {
            session.use_model(model)?;
            session.say(&format!("{} answers from now on", session.host().one_line(model)));
            return Ok(());
        }
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
            text = line.run(settings, execution, &mut on_progress) => text.map_err(|error| refused(&error))?,
        };
        if line.changes_settings() {
            let new = Settings::load(execution.folder(), |name| execution.variable(name));
            let new = new.map_err(|findings| InputError::refused(findings.to_string()))?.user.tables;
            let own = &mut session.context.settings.user.tables;
            (own.models, own.servers) = (new.models, new.servers);
        }
        session.say(&session.host().printable(&text));
        Ok(())
    }
}
