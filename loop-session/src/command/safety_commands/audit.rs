//! `/audit`: shows the recent policy decisions.

use async_trait::async_trait;
use loop_guardrails::policy::audit::{AuditEntry, AuditOutcome};

use loop_telemetry::words::{
    self,
    style::{BAD, DIM, paint},
};

use crate::{
    ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, SessionHost,
    split_word,
};

/// The number of decisions shown.
const SHOWN: usize = 10;

pub(in crate::command) struct AuditCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "audit",
    aliases: &[],
    arguments: "[N | status | clear]",
    summary: "Show the last decisions about tools and commands",
    help: "Shows the last ten decisions of this session, or the last N. `status` counts them. `clear` forgets what the \
           session shows; the folder `audit/` in the state directory keeps all decisions.",
    argument_kind: ArgumentKind::Words(&["status", "clear"]),
};

#[async_trait]
impl Command for AuditCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        if arguments == "clear" { RepeatEffect::Rules } else { RepeatEffect::Same }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let most = match split_word(arguments) {
            ("" | "show", "") => SHOWN,
            ("clear", "") => {
                session.tools.audit.clear();
                session.say("the session forgot its decisions; the folder `audit/` keeps them");
                return Ok(());
            }
            ("status", "") => {
                let entries = session.tools.audit.newest(usize::MAX);
                session.say(&counted(&entries));
                warn_of_loss(session);
                return Ok(());
            }
            ("show", number) | (number, "") => {
                number.parse().map_err(|_| INFO.misused(format!("`{number}` is not a number")))?
            }
            _ => return Err(INFO.misused("one number is enough")),
        };
        warn_of_loss(session);
        let entries = session.tools.audit.newest(most);
        let lines: Vec<_> = entries.iter().rev().map(|entry| line(entry, session.host())).collect();
        session.say(&if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") });
        Ok(())
    }
}

fn warn_of_loss(session: &Session) {
    if let Some(path) = session.tools.audit.lost() {
        let path = session.host().printable(&path.display().to_string());
        session.warn(&format!("decisions in {path} are lost: somebody emptied or removed it"));
    }
}

/// Counts the decisions, which are ordered from the newest to the oldest.
fn counted(entries: &[AuditEntry]) -> String {
    let Some(oldest) = entries.last() else { return NONE.to_owned() };
    let of = |outcome| entries.iter().filter(|entry| entry.outcome == outcome).count();
    let (allowed, denied) = (of(AuditOutcome::Allowed), of(AuditOutcome::Denied));
    format!(
        "{} since {}: {allowed} allowed, {denied} denied",
        words::count((allowed + denied) as u64, "decision"),
        oldest.at.strftime("%Y-%m-%d %H:%M:%S UTC")
    )
}

const NONE: &str = "no decisions yet";

/// The longest line, in characters.
const WIDE: usize = 120;

fn line(entry: &AuditEntry, host: &SessionHost) -> String {
    let AuditEntry { at, action, details, outcome, .. } = entry;
    let outcome = match outcome {
        AuditOutcome::Allowed => paint(DIM, "allowed"),
        AuditOutcome::Success => "done   ".to_owned(),
        AuditOutcome::Denied => paint(BAD, "denied "),
        AuditOutcome::Error => paint(BAD, "failed "),
    };
    let details = host.last_line(&host.one_line(details), WIDE).unwrap_or_default();
    format!("{}  {outcome}  {action} {details}", paint(DIM, at.strftime("%H:%M:%S")))
}
