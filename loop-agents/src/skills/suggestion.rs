//! Skills that a model proposes.

use super::NewSkill;

/// The system prompt of a request for proposals.
pub const SUGGEST_SYSTEM: &str = "You read the record of a conversation and propose at most 3 skills: procedures that were needed there and will be needed \
     again. Reply with one line for each, `- NAME: DESCRIPTION`. A name has lower-case letters, digits and single hyphens. A \
     description states what the skill does and when to use it, in at most two sentences. Propose nothing that a competent \
     person knows without being told. If there is nothing, reply `none`.";

/// The most proposals.
const MOST: usize = 3;

/// A skill that a model proposes. Nothing is written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SkillSuggestion {
    /// The name.
    pub name: String,
    /// Its purpose, and when to use it.
    pub description: String,
}

impl SkillSuggestion {
    /// Reads at most 3 proposals in a reply. Lines without a valid name and description are ignored.
    ///
    /// ```
    /// use loop_agents::skills::SkillSuggestion;
    ///
    /// let read = SkillSuggestion::read("Here:\n- tidy: Sorts imports.\n- Not Valid: x\n");
    /// assert_eq!(read.len(), 1);
    /// assert_eq!((read[0].name.as_str(), read[0].description.as_str()), ("tidy", "Sorts imports."));
    /// ```
    pub fn read(reply: &str) -> Vec<Self> {
        let lines = reply.lines().filter_map(|line| {
            let (name, description) = line.trim().strip_prefix("- ")?.split_once(':')?;
            let (name, description) =
                (name.trim().trim_matches(['`', '*']), description.trim().trim_matches('*').trim());
            NewSkill::new(name, description, "", "").ok()?;
            Some(Self { name: name.to_owned(), description: description.to_owned() })
        });
        lines.take(MOST).collect()
    }
}
