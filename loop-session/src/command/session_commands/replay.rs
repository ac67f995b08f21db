//! `/replay`: sends the prompts of a session again, to a model in a new session.

use async_trait::async_trait;
use loop_core::{CancellationToken, with_causes};
use loop_telemetry::transcript::TranscriptEntry;

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session,
    replay::{self, Recording},
};

pub(in crate::command) struct ReplayCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Session,
    name: "replay",
    aliases: &[],
    arguments: "[ID] [--model NAME] [--out NAME]",
    summary: "Send the prompts of a session again, in a new session",
    help: "The default is this session and its model; `--out` names the new session. The tools of the new session only \
           read, and nothing that ran is run again. At the end, a table shows both sessions by turn. `loop replay` \
           compares several models.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for ReplayCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        replay(arguments, session).await
    }
}

/// The arguments.
#[derive(Default)]
struct Request {
    session: Option<String>,
    model: Option<String>,
    name: Option<String>,
}

/// Replays a session.
pub(super) async fn replay(arguments: &str, session: &mut Session) -> Result<(), InputError> {
    let request = request(&INFO.words(arguments)?)?;
    let found = match &request.session {
        Some(wanted) => Some(session.find_session(wanted)?.info),
        None if session.log.has_begun() => None,
        None => return Err(InputError::refused("nothing has been said yet: name a session")),
    };
    let id = found.as_ref().map_or(session.log.id(), |info| info.id.as_str()).to_owned();
    let recording = Recording::open(session.log.store(), &id)?;
    if recording.turns().next().is_none() {
        return Err(InputError::refused(format!("the session {id} has no prompt")));
    }
    let model = match (&request.model, &session.dialogue.model) {
        (Some(name), _) => session.choose(name)?,
        (None, Some(model)) => session.choose(model.asked())?,
        (None, None) => return Err(InputError::NoModel),
    };
    let (settings, cx) = (&session.context.settings, &session.context.execution);
    if let Some(info) = found.filter(|info| !info.works_in(cx.folder())) {
        session.warn(&format!("that session worked in {}, and the tools read this folder", info.folder));
    }
    let chat = replay::chat(&model, settings, cx, None);
    let chat = chat.map_err(|error| InputError::refused(with_causes(&error)))?;
    let new = format!("replay-{}", session.host().now().as_millisecond());
    let mut log = replay::transcript(session.log.store(), &new, &model, cx, session.host());
    let cancel: CancellationToken = session.stop();
    let view = session.show(model.id(), "replaying".to_owned(), None, None);
    let turns = replay::replay(&recording, chat, &mut log, cancel.clone()).await?;
    drop(view);
    if let Some(name) = request.name {
        log.write(TranscriptEntry::Renamed { name });
    }
    log.end();
    session.say(&format!("{}: session {new}", session.host().one_line(model.asked())));
    session.say(&session.host().printable(&replay::table(&recording, &[turns]).join("\n")));
    if cancel.is_cancelled() { Err(InputError::Interrupted) } else { Ok(()) }
}

fn request(words: &[String]) -> Result<Request, InputError> {
    let (mut request, mut words) = (Request::default(), words.iter());
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| INFO.misused(format!("{word} needs a name")));
        let place = match word.as_str() {
            "--model" => (&mut request.model, value()?),
            "--out" => (&mut request.name, value()?),
            option if option.starts_with("--") => {
                return Err(INFO.misused(format!("there is no option {option}")));
            }
            id => (&mut request.session, id.to_owned()),
        };
        if place.0.replace(place.1).is_some() {
            return Err(INFO.misused("name one session, one model and one name"));
        }
    }
    Ok(request)
}
