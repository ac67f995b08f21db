//! Skills: folders with instructions that a model reads when it needs them, in the format of Agent Skills.
//!
//! A project knows many procedures, and a prompt that contains all of them leaves no room for the work. So a model
//! learns about a skill in three stages:
//!
//! 1. The system prompt has one line per skill, of at most 4 KiB in all: [`Skills::catalogue`].
//! 2. The model reads the body of a `SKILL.md` with the tool [`LoadSkill`], or a person or a [`Trigger`] shows it:
//!    [`Skill::body`].
//! 3. The model reads the files beside it with the usual tools.
//!
//! Skills come with a project, so strangers write them. This module guards against three problems:
//!
//! - A front matter can be a bomb, or no text at all. Reading is bounded, and a faulty skill is skipped with a
//!   [warning](SkillWarning). It never prevents a session from starting.
//! - A folder can be a link to somewhere else. All access goes through a
//!   [`Workspace`](loop_guardrails::policy::workspace::Workspace), which follows no link out.
//! - A script can change after somebody agreed to it. [`SkillScript`] runs exactly the bytes of its
//!   [digest](SkillScript::digest), under the policy.
//!
//! Loading is lenient; [`check_strictly`] agrees with the reference validator (`skills-ref`).
//!
//! ```
//! use loop_agents::skills::{SkillSource, Skills};
//! use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::create_dir_all(folder.path().join(".agents/skills/tidy"))?;
//! std::fs::write(
//!     folder.path().join(".agents/skills/tidy/SKILL.md"),
//!     "---\nname: tidy\ndescription: Sorts imports. Use after moving code.\n---\nSort them.\n",
//! )?;
//! let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
//! let skills = Skills::load(&SkillSource::of_project(&workspace));
//! assert_eq!(skills.catalogue().as_deref(), Some("- tidy: Sorts imports."));
//! assert_eq!(skills.find("tidy").ok_or("no skill")?.body()?, "Sort them.\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod check;
mod error;
mod front_matter;
mod load_skill;
mod new_skill;
mod run_script;
mod script;
mod script_draft;
mod set;
mod skill;
mod source;
mod strict;
mod suggestion;
mod trigger;
mod yaml;

pub use self::{
    check::{SkillCheck, checked},
    error::SkillError,
    front_matter::SkillVariable,
    load_skill::{LoadSkill, LoadSkillArguments},
    new_skill::NewSkill,
    run_script::{RunSkillScript, RunSkillScriptArguments},
    script::{MAX_SCRIPT_BYTES, MAX_SCRIPT_TIME, SkillScript},
    script_draft::{ScriptDraft, ScriptRequest},
    set::{SetFit, SkillSet},
    skill::{Skill, digest_of},
    source::{SkillSource, SkillWarning, Skills},
    strict::check_strictly,
    suggestion::{SUGGEST_SYSTEM, SkillSuggestion},
    trigger::{Trigger, TriggerError},
};
