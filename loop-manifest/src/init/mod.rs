//! The first manifest of a project.
//!
//! Nobody should have to read a reference to get a working loop. So the commands come from the folder ([`checks`]) and
//! `PATH` ([`AgentChoice::on_path`]), and the words from a [`Template`]. A [`Draft`] turns them into a manifest in the
//! requested format. It leaves unknown parts open, and validation reports those.
//!
//! ```
//! use loop_manifest::{Format, init::{AgentChoice, CheckChoice, Draft, Template, checks}};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("go.mod"), "module it\n")?;
//! let template = Template::FixUntilTestsPass;
//! let found = checks(folder, template.purpose());
//! let agent = AgentChoice::named("claude");
//! let draft = Draft { template, folder: "it", agent, check: found.first().map(CheckChoice::Found), has_schema: false, is_sealed: false };
//! assert!(draft.is_complete());
//! assert!(draft.render(Format::Yaml).contains("go test ./..."));
//! # Ok::<(), std::io::Error>(())
//! ```

mod agent;
mod draft;
mod harvey;
mod manifest_text;
mod project;
pub mod report;
mod skill;
mod template;

#[cfg(test)]
#[path = "../../tests/init/mod.rs"]
mod tests;

pub(crate) use self::agent::is_executable;
pub use self::{
    agent::{
        AgentChoice, AgentCost, KnownAgent, agents_on_path, in_full, in_full_within, is_on_path,
        known_programs,
    },
    draft::{CheckChoice, Draft, SCHEMA_FILE},
    harvey::HarveySettings,
    project::{ProjectCheck, checks, unreadable},
    skill::{STARTER_SKILL, STARTER_SKILL_FILE},
    template::{Purpose, Template, UnknownTemplate},
};
