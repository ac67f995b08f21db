//! Measures what a session adds to the requests that it sends, and how fast it resumes a long conversation.
//!
//! The floor of a turn is the same request, written to a socket by hand, whose answer is read to its end. Both sides talk
//! to the same server in this process. The floor of a resume is parsing the lines of the transcript as JSON.

mod bare_request;
mod open_session;
mod server;

use std::time::Duration;

use anyhow::Result;

use self::{bare_request::BareRequest, open_session::OpenSession, server::ReplyServer};
use crate::{
    pairs::in_turn,
    table::{Row, Table},
};

/// The messages of the transcript that is resumed.
const MESSAGES: usize = 10_000;

/// The pieces of a reply.
const PIECES: usize = 200;

/// The time that a fast server takes for its first token.
const FIRST_TOKEN: Duration = Duration::from_millis(100);

/// Turns of one measurement.
const TURNS: u32 = 10;

/// The times of a turn from its start.
struct TurnTimes {
    /// Until the first token.
    first: Duration,
    /// Until the end of the reply.
    whole: Duration,
}

/// Runs the measurements.
///
/// # Errors
/// If a session or a request fails.
pub fn measure(table: &mut Table) -> Result<()> {
    let long = OpenSession::with_transcript(MESSAGES)?;
    let pairs = in_turn(|| long.resume(), || long.parse_lines())?;
    let note = format!("{:.0} ms", pairs.first.median * 1e3);
    table.add(
        Row::new(
            format!("session: start with a transcript of {MESSAGES} messages / parsing its lines"),
            pairs.ratio,
        )
        .at_most(3.0)
        .note(note),
    );

    let server = ReplyServer::start(Duration::ZERO, PIECES)?;
    let (mut session, mut bare) = (OpenSession::talking_to(&server)?, BareRequest::to(&server)?);
    let turns = || (0..TURNS).map(|_| Ok(session.turn()?.whole)).sum::<Result<Duration>>();
    let requests = || (0..TURNS).map(|_| Ok(bare.turn()?.whole)).sum::<Result<Duration>>();
    let pairs = in_turn(turns, requests)?;
    let each = |seconds: f64| seconds / f64::from(TURNS) * 1e3;
    let note = format!("{:.2} ms over {:.2} ms", each(pairs.first.median), each(pairs.second.median));
    table.add(
        Row::new(format!("session: a turn of {PIECES} pieces / the bare request"), pairs.ratio).note(note),
    );

    let server = ReplyServer::start(FIRST_TOKEN, 1)?;
    let (mut session, mut bare) = (OpenSession::talking_to(&server)?, BareRequest::to(&server)?);
    let pairs = in_turn(|| Ok::<_, anyhow::Error>(session.turn()?.first), || Ok(bare.turn()?.first))?;
    let note = format!("{:.1} ms over {:.1} ms", pairs.first.median * 1e3, pairs.second.median * 1e3);
    table.add(
        Row::new(
            format!("session: first token of a server that takes {FIRST_TOKEN:?} / the bare request"),
            pairs.ratio,
        )
        .at_most(1.1)
        .note(note),
    );
    Ok(())
}
