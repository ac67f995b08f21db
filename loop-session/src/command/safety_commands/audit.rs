//! `/audit`: shows recent policy decisions.

use async_trait::async_trait;
use loop_guardrails::policy::audit::{AuditEntry, AuditOutcome};

use loop_telemetry::words::style::{BAD, DIM, paint};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, SessionHost, split_word};

/// The number of decisions shown.
const SHOWN: usize = 10;

pub(in crate::command) struct AuditCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "audit",
    aliases: &[],
    arguments: "[N]",
    summary: "Show the last decisions about tools and commands",
    help: "Shows the last ten decisions of this session, or the last N. The folder `audit/` in the state directory \
           holds all of them.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for AuditCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let most = match split_word(arguments) {
            ("" | "show", "") => SHOWN,
            ("show", number) | (number, "") => {
                number.parse().map_err(|_| INFO.misused(format!("`{number}` is not a number")))?
            }
            _ => return Err(INFO.misused("one number is enough")),
        };
        if let Some(path) = session.tools.audit.lost() {
            let path = session.host().printable(&path.display().to_string());
            session.warn(&format!("decisions in {path} are lost: somebody emptied or removed it"));
        }
        let entries = session.tools.audit.newest(most);
        let lines: Vec<_> = entries.iter().rev().map(|entry| line(entry, session.host())).collect();
        session.say(&if lines.is_empty() { "no decisions yet".to_owned() } else { lines.join("\n") });
        Ok(())
    }
}

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
