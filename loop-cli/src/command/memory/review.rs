//! A person decides about proposals.

use std::{
    env,
    io::{self, IsTerminal as _},
    process::Command,
};

use loop_knowledge::memory::{Memories, Memory, MemoryError};
use loop_session::knowledge::KnowledgeError;

use super::super::{Failure, OrFail};
use crate::view::{self, text};

/// The replacement of a secret.
const REDACTED: &str = "[redacted]";

/// Accepts all proposals, or asks a person about each of them. Where nobody is, the proposals wait.
pub(super) fn proposals(memories: &mut Memories<'_>, accept_all: bool, is_json: bool) -> Result<(), Failure> {
    let proposals = memories.proposals().map_err(KnowledgeError::from)?;
    if proposals.is_empty() {
        return Ok(());
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
        return Ok(());
    }
    if is_json || !io::stdin().is_terminal() {
        let waiting = text::count(proposals.len() as u64, "proposal");
        view::say(&format!(
            "waiting for you: {waiting} (`loop memory list`, then `loop memory accept ID` or `reject ID`, or --yes)"
        ));
        return Ok(());
    }
    for (number, proposal) in (1..).zip(&proposals) {
        if !review(memories, proposal, &format!("{number} of {}", proposals.len()))? {
            return Ok(());
        }
    }
    Ok(())
}

/// Asks about one proposal. Returns whether to go on.
fn review(memories: &mut Memories<'_>, proposal: &Memory, place: &str) -> Result<bool, Failure> {
    let known = KnowledgeError::from;
    let mut proposal = proposal.clone();
    loop {
        view::say(&text::printable(&card(&proposal, place)));
        view::say("a accept, e edit, s skip (comes again), r reject (never again), q quit");
        let mut answer = String::new();
        if io::stdin().read_line(&mut answer).or_setup(|| "the answer cannot be read")? == 0 {
            return Ok(false);
        }
        match answer.trim() {
            "a" => memories.accept(&proposal.id).map_err(known)?,
            "r" => memories.reject(&proposal.id).map_err(known)?,
            "s" => return Ok(true),
            "q" => return Ok(false),
            "e" => {
                edit(memories, &proposal)?;
                match memories.find(&proposal.id) {
                    Ok(edited) => proposal = edited,
                    Err(MemoryError::Unknown(_)) => {
                        view::warning(
                            "the file is no memory now, so the proposal waits: `loop memory status`",
                        );
                        return Ok(true);
                    }
                    Err(error) => return Err(known(error).into()),
                }
                continue;
            }
            _ => continue,
        };
        return Ok(true);
    }
}

/// Returns the card of a proposal.
fn card(proposal: &Memory, place: &str) -> String {
    let content = &proposal.content;
    let kind = content.kind.map(|kind| format!(", {kind}")).unwrap_or_default();
    let origin = content.origin.as_deref().map(|origin| format!("\nfrom {origin}")).unwrap_or_default();
    let has_secret = content.text().contains(REDACTED);
    let secret = if has_secret { "\nIt had a secret, which is left out: [redacted]." } else { "" };
    format!(
        "\n{place}: {} ({}{kind})\n{}\n{}{origin}{secret}",
        proposal.id, content.memory_type, content.summary, content.body
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
