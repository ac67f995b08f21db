//! A person decides about proposals.

use std::{
    env,
    io::{self, IsTerminal as _},
    ops::ControlFlow,
    process::{Command, ExitCode},
};

use loop_knowledge::{
    data_line, indented_data,
    memory::{Memories, Memory, MemoryError},
};
use loop_session::knowledge::KnowledgeError;

use super::super::{
    Failure, OrFail,
    environment::{block_on, unless_signalled},
};
use crate::{
    exit,
    view::{self, text},
};

/// The replacement of a secret.
const REDACTED: &str = "[redacted]";

/// Accepts all proposals, or asks a person about each of them. Where nobody is, the proposals wait; with `waits`
/// everywhere.
pub(super) fn proposals(
    memories: &mut Memories<'_>,
    accept_all: bool,
    waits: bool,
    is_json: bool,
) -> Result<ExitCode, Failure> {
    let done = ExitCode::from(exit::OK);
    let proposals = memories.proposals().map_err(KnowledgeError::from)?;
    if proposals.is_empty() {
        return Ok(done);
    }
    if accept_all {
        for proposal in &proposals {
            let accepted = memories.accept(&proposal.id).map_err(KnowledgeError::from)?;
            let line = format!("accepted {}: {}", accepted.id, accepted.content.summary);
            if is_json {
                view::say(&text::printable(&line));
            } else {
                view::print_or_warn(&text::printable(&line));
            }
        }
        return Ok(done);
    }
    if waits || !io::stdin().is_terminal() {
        let waiting = text::count(proposals.len() as u64, "proposal");
        view::say(&format!(
            "waiting for you: {waiting} (`loop memory list`, then `loop memory accept ID` or `reject ID`, or --yes)"
        ));
        return Ok(done);
    }
    for (number, proposal) in (1..).zip(&proposals) {
        let place = format!("{number} of {}", proposals.len());
        if let ControlFlow::Break(code) = review(memories, proposal, &place)? {
            return Ok(code);
        }
    }
    Ok(done)
}

/// Asks about one proposal. Breaks with the exit code if the person wants no more.
fn review(
    memories: &mut Memories<'_>,
    proposal: &Memory,
    place: &str,
) -> Result<ControlFlow<ExitCode>, Failure> {
    let done = ControlFlow::Break(ExitCode::from(exit::OK));
    let known = KnowledgeError::from;
    let mut proposal = proposal.clone();
    loop {
        let mut answer = None;
        let code = block_on(unless_signalled(async {
            view::say(&text::printable(&card(&proposal, place)));
            view::say("a accept, e edit, s skip (comes again), r reject (never again), q quit");
            answer = typed_line().await?;
            Ok(())
        }))?;
        if code != ExitCode::SUCCESS {
            return Ok(ControlFlow::Break(code));
        }
        let Some(answer) = answer else { return Ok(done) };
        match answer.trim() {
            "a" => memories.accept(&proposal.id).map_err(known)?,
            "r" => memories.reject(&proposal.id).map_err(known)?,
            "s" => return Ok(ControlFlow::Continue(())),
            "q" => return Ok(done),
            "e" => {
                edit(memories, &proposal)?;
                match memories.find(&proposal.id) {
                    Ok(edited) => proposal = edited,
                    Err(MemoryError::Unknown(_)) => {
                        view::warning(
                            "the file is no memory now, so the proposal waits: `loop memory status`",
                        );
                        return Ok(ControlFlow::Continue(()));
                    }
                    Err(error) => return Err(known(error).into()),
                }
                continue;
            }
            _ => continue,
        };
        return Ok(ControlFlow::Continue(()));
    }
}

/// Reads a line on a thread of its own: a read at a terminal cannot be cancelled, and a signal must end the review.
async fn typed_line() -> Result<Option<String>, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
    });
    read.await.unwrap_or_else(|error| Err(io::Error::other(error))).or_setup(|| "the answer cannot be read")
}

/// Returns the card of a proposal. The body is indented, so that it cannot look like another card.
fn card(proposal: &Memory, place: &str) -> String {
    let content = &proposal.content;
    let kind = content.kind.map(|kind| format!(", {kind}")).unwrap_or_default();
    let origin =
        content.origin.as_deref().map(|origin| format!("\nfrom {}", data_line(origin))).unwrap_or_default();
    let has_secret = content.text().contains(REDACTED);
    let secret = if has_secret { "\nIt had a secret, which is left out: [redacted]." } else { "" };
    let effect = content.effect().map(|effect| format!(", {}", data_line(&effect))).unwrap_or_default();
    format!(
        "\n{place}: {} ({}{kind}{effect})\n{}\n{}{origin}{secret}",
        proposal.id,
        content.memory_type,
        content.summary,
        indented_data(&content.body).trim_end_matches('\n')
    )
}

/// Opens the file of a proposal in the user's editor.
fn edit(memories: &Memories<'_>, proposal: &Memory) -> Result<(), Failure> {
    let editor =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| env::var(name).ok().filter(|set| !set.is_empty()));
    let Some(editor) = editor else {
        view::warning("there is no editor: set EDITOR, or edit the file, and run `loop memory mine` again");
        return Ok(());
    };
    // The user's own variable, which may have arguments, as git runs it.
    let status = Command::new("/bin/sh")
        .args(["-c", &format!("{editor} \"$1\""), "editor"])
        .arg(memories.path(proposal))
        .status()
        .or_setup(|| format!("cannot start the editor `{editor}`"))?;
    if !status.success() {
        view::warning(&format!("the editor ended with {status}"));
    }
    Ok(())
}
