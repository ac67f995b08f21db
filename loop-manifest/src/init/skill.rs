//! The skill that teaches an agent to start a bounded loop.

/// Where `loop init --skill` writes [`STARTER_SKILL`], below the project's folder.
pub const STARTER_SKILL_FILE: &str = ".agents/skills/bounded-loop/SKILL.md";

/// A skill in the format of Agent Skills. It teaches any agent that can run commands to start a loop with limits instead
/// of repeating work by itself.
pub const STARTER_SKILL: &str = include_str!("bounded_loop.md");
