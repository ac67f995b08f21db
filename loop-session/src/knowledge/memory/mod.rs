//! Requests about memories.

mod extractor;
mod mine;
mod recall;
mod show;
mod tools;

use loop_knowledge::memory::{Memories, Memory, MemoryState, MemoryType, NewMemory, ProfileTemplate};
use loop_telemetry::words;
use serde_json::json;

pub use self::{
    extractor::ChatExtractor,
    mine::{MiningChoice, MiningEvent, MiningRecord},
    recall::RecallRequest,
    tools::MemoryTools,
};
use super::{error::KnowledgeError, reply::KnowledgeReply, workspace::WorkspaceKnowledge};

/// A request about the memories of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryRequest {
    /// Lists memories: active ones and proposals.
    List {
        /// Those of one type; `None` for all.
        memory_type: Option<MemoryType>,
        /// Whether to list archived and rejected ones too.
        all: bool,
    },
    /// Shows one memory.
    Show {
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Adds an active memory; inside of a run, a proposal.
    Add(NewMemory),
    /// Changes one memory.
    Change {
        /// The change.
        change: MemoryChange,
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Counts the memories, and names files that are not memories.
    Status,
    /// Recalls what is known about a text.
    Recall(RecallRequest),
    /// Shows the profile of the workspace, or makes it from a template.
    Profile {
        /// The template of a new profile.
        template: Option<ProfileTemplate>,
    },
}

/// A change of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryChange {
    /// Subtracts 0.1 from the confidence.
    Flag,
    /// Adds 0.1 to the confidence.
    Keep,
    /// Removes the file.
    Forget,
    /// Makes a proposal active.
    Accept,
    /// Keeps a proposal from coming again.
    Reject,
}

impl MemoryChange {
    /// Returns the change with this name: `flag`, `keep`, `forget`, `accept` or `reject`.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "flag" => Self::Flag,
            "keep" => Self::Keep,
            "forget" => Self::Forget,
            "accept" => Self::Accept,
            "reject" => Self::Reject,
            _ => return None,
        })
    }

    fn apply(self, memories: &mut Memories<'_>, id: &str) -> Result<String, KnowledgeError> {
        let (memory, done) = match self {
            Self::Flag => (memories.flag(id)?, "flagged"),
            Self::Keep => (memories.keep(id)?, "kept"),
            Self::Forget => {
                let memory = memories.forget(id)?;
                return Ok(format!("forgot {}: {}", memory.id, memory.content.summary));
            }
            Self::Accept => match memories.accept(id)? {
                Memory { content: NewMemory { removes: Some(removed), .. }, .. } => {
                    return Ok(format!("forgot {removed}, as the proposal said"));
                }
                memory => (memory, "accepted"),
            },
            Self::Reject => (memories.reject(id)?, "rejected"),
        };
        let archived = if memory.state == MemoryState::Archived { ", and is archived" } else { "" };
        Ok(format!("{done} {}: its confidence is {}{archived}", memory.id, memory.confidence))
    }
}

impl WorkspaceKnowledge {
    /// Opens the memories of the workspace.
    ///
    /// # Errors
    /// The files or the database cannot be used.
    pub fn memories(&self) -> Result<Memories<'_>, KnowledgeError> {
        Ok(Memories::open(&self.folder, &self.secrets)?)
    }
}

impl MemoryRequest {
    /// Carries out the request. Blocks on the disk.
    ///
    /// # Errors
    /// There is no such memory, or the files or the database cannot be used.
    pub async fn run(&self, known: &WorkspaceKnowledge) -> Result<KnowledgeReply, KnowledgeError> {
        let mut memories = known.memories()?;
        let reply = match self {
            Self::List { memory_type, all } => list(&mut memories, *memory_type, *all)?,
            Self::Show { id } => {
                let memory = memories.find(id)?;
                let used = memories.last_used(&memory.id)?;
                let text = show::page(&memory, used, &memories.path(&memory));
                KnowledgeReply::said(text, show::json(&memories, &memory))
            }
            Self::Add(content) => {
                let (content, now) = (content.clone(), known.now);
                let (memory, done) = match known.has_person() {
                    true => (memories.add(content, MemoryState::Active, now)?, "added"),
                    false => (memories.propose(content, now).await?, "a person decides about the proposal"),
                };
                let text = format!("{done} {}: {}", memory.id, memory.content.summary);
                KnowledgeReply::said(text, show::json(&memories, &memory))
            }
            Self::Change { change, id } => {
                known.expect_person("a change of a memory")?;
                let text = change.apply(&mut memories, id)?;
                let json = json!({ "done": text });
                KnowledgeReply::said(text, json)
            }
            Self::Status => {
                let status = memories.status()?;
                let text = show::status(&status, memories.root());
                return Ok(KnowledgeReply::said(text, json!(status)));
            }
            Self::Recall(request) => request.reply(known, &mut memories).await?,
            Self::Profile { template } => profile(known, &mut memories, *template)?,
        };
        let faults = memories.faults()?;
        let first =
            faults.first().map(|fault| format!("{} is not a memory: {}", fault.path.display(), fault.why));
        let others = faults.len().saturating_sub(1) as u64;
        let others = (others > 0).then(|| {
            format!("{} more: `loop memory status` lists them", words::count(others, "unusable file"))
        });
        let remarks = reply.remarks.into_iter().chain(first).chain(others).collect();
        Ok(KnowledgeReply { remarks, ..reply })
    }
}

fn list(
    memories: &mut Memories<'_>,
    memory_type: Option<MemoryType>,
    all: bool,
) -> Result<KnowledgeReply, KnowledgeError> {
    let is_listed = |memory: &Memory| {
        let is_current = matches!(memory.state, MemoryState::Active | MemoryState::Proposed);
        (all || is_current) && memory_type.is_none_or(|wanted| memory.content.memory_type == wanted)
    };
    let listed: Vec<_> = memories.all()?.into_iter().filter(is_listed).collect();
    let lines: Vec<_> = listed.iter().map(show::line).collect();
    let json = listed.iter().map(|memory| show::json(memories, memory)).collect();
    let empty =
        "there are no memories: `loop memory mine` finds some, and `loop memory add TYPE SUMMARY` adds one";
    Ok(KnowledgeReply::list(&lines, empty, json))
}

fn profile(
    known: &WorkspaceKnowledge,
    memories: &mut Memories<'_>,
    template: Option<ProfileTemplate>,
) -> Result<KnowledgeReply, KnowledgeError> {
    if let Some(template) = template {
        known.expect_person("a profile")?;
        let profile = memories.create_profile(template, known.now)?;
        let text = format!("made the profile: edit {}", memories.path(&profile).display());
        return Ok(KnowledgeReply::said(text, show::json(memories, &profile)));
    }
    let Some(profile) = memories.profile()? else {
        let names: Vec<_> = ProfileTemplate::ALL.iter().map(|template| template.name()).collect();
        let text = format!(
            "the workspace has no profile: `loop memory profile --template NAME` makes one (NAME: {})",
            names.join(", ")
        );
        return Ok(KnowledgeReply { text, is_empty: true, ..KnowledgeReply::default() });
    };
    let used = memories.last_used(&profile.id)?;
    let text = show::page(&profile, used, &memories.path(&profile));
    Ok(KnowledgeReply::said(text, show::json(memories, &profile)))
}
