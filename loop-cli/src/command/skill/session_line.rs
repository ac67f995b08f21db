//! Words of `loop skill` that need a model or a yes. Each is one line of a session without a conversation.

use std::{
    env,
    io::{self, IsTerminal as _},
    path::Path,
    process::ExitCode,
};

use loop_core::{CancellationToken, with_causes};
use loop_manifest::model::ConversationOptions;
use loop_session::{ApprovalQuestion, InputError, Session, SessionHost};
use loop_telemetry::{StateDir, transcript::SessionStore};
use tokio::{sync::mpsc::UnboundedReceiver, task::spawn_blocking};

use super::super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, new_run_id, settings, unless_signalled},
    printed_session::printed_host,
    usage,
};
/// Returns the id of the session that was last used in this folder.
pub(super) fn last_session() -> Result<String, Failure> {
    let store = SessionStore::at(StateDir::from_env_with(|name| env::var_os(name))?.sessions()?);
    let here = dir(None)?;
    let (sessions, _) = store.list_from(&here)?;
    let last = sessions.into_iter().find(|session| session.info.works_in(&here));
    last.map(|session| session.info.id).ok_or_else(|| usage!("there is no session of this folder: name one"))
}

/// Carries out a line. At a terminal, it asks the person.
pub(super) fn run(line: &str, model: Option<&String>) -> Result<ExitCode, Failure> {
    let settings = settings(Path::new(""))?;
    let has_person = io::stdin().is_terminal();
    let cx = execution_context(dir(None)?, new_run_id())?;
    let conversation = ConversationOptions { model: model.cloned(), ..ConversationOptions::default() };
    let host = printed_host();
    let supervisor = cx.supervisor().clone();
    let mut session = Session::open(conversation, settings, cx, host.clone())?;
    let questions = has_person.then(|| session.approvals().open());
    let done = block_on(unless_signalled(async {
        let done = tokio::select! {
            done = session.run_only_line(line.trim_end(), CancellationToken::new()) => done,
            failed = answer(questions, &host) => return Err(failed),
        };
        session.end();
        done.map_err(|error| match error {
            InputError::Misused { problem, .. } => usage!("{problem}"),
            InputError::NoModel => error.into(),
            error => Failure::Internal(anyhow::anyhow!(with_causes(&error))),
        })
    }));
    supervisor.end();
    done
}

/// Answers questions with the lines that the person types. Returns only if these cannot be read.
async fn answer(questions: Option<UnboundedReceiver<ApprovalQuestion>>, host: &SessionHost) -> Failure {
    let Some(mut questions) = questions else { return std::future::pending().await };
    while let Some(question) = questions.recv().await {
        let mut open = question.show(host);
        while let Some(question) = open.take() {
            match spawn_blocking(read).await.or_internal("the answer cannot be read").and_then(|read| read) {
                Ok(typed) => open = question.answered(typed.as_deref(), host),
                Err(failure) => return failure,
            }
        }
    }
    std::future::pending().await
}

/// Reads a line; `None` at the end of the input.
fn read() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    let bytes = io::stdin().read_line(&mut line).or_setup(|| "the answer cannot be read")?;
    Ok((bytes > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned()))
}
