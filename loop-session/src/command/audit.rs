//! `/audit`: shows recent policy decisions.

use crate::word;
use async_trait::async_trait;
use loop_guardrails::policy::audit::{Entry, Outcome};

use super::{About, Command, Takes};
use loop_telemetry::words::style::{BAD, DIM, paint};

use crate::{InputError, Session, SessionHost};

/// The number of decisions shown.
const SHOWN: usize = 10;

pub(crate) struct Audit;

const ABOUT: About = About {
    name: "audit",
    aliases: &[],
    arguments: "[N]",
    summary: "Show the last decisions about tools and commands",
    help: "The last ten decisions of this session, or the last N. The folder `audit/` in the state directory holds all \
           of them.",
    takes: Takes::Other,
};

#[async_trait]
impl Command for Audit {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let most = match word(arguments) {
            ("" | "show", "") => SHOWN,
            ("show", number) | (number, "") => {
                number.parse().map_err(|_| ABOUT.misused(format!("`{number}` is no number")))?
            }
            _ => return Err(ABOUT.misused("one number is enough")),
        };
        if let Some(path) = session.tools.audit.lost() {
            let path = session.host().printable(&path.display().to_string());
            session.warn(&format!("decisions in {path} are lost: somebody emptied or removed it"));
        }
        let entries = session.tools.audit.newest(most);
        let lines: Vec<_> = entries.iter().rev().map(|entry| line(entry, session.host())).collect();
        session.say(&if lines.is_empty() { "nothing was decided yet".to_owned() } else { lines.join("\n") });
        Ok(())
    }
}

/// The longest line, in characters.
const WIDE: usize = 120;

fn line(entry: &Entry, host: &SessionHost) -> String {
    let Entry { at, action, details, outcome, .. } = entry;
    let outcome = match outcome {
        Outcome::Allowed => paint(DIM, "allowed"),
        Outcome::Success => "done   ".to_owned(),
        Outcome::Denied => paint(BAD, "denied "),
        Outcome::Error => paint(BAD, "failed "),
    };
    let details = host.last_line(&host.one_line(details), WIDE).unwrap_or_default();
    format!("{}  {outcome}  {action} {details}", paint(DIM, at.strftime("%H:%M:%S")))
}
