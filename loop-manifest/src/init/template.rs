//! The templates: what an agent is asked to reach, and what it must not do to get there.
//!
//! An agent that is only told to make a check pass will sooner or later change the check. So most of
//! a template's prompt says which ways out are closed.

use std::str::FromStr;

/// A loop that many projects need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Template {
    /// Fix the code until the project's tests pass.
    FixUntilTestsPass,
    /// Refactor the code until the project's linter finds nothing.
    RefactorUntilLintClean,
}

/// The purpose of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It runs the tests.
    Test,
    /// It runs the linter.
    Lint,
}

impl Template {
    /// All templates.
    pub const ALL: [Self; 2] = [Self::FixUntilTestsPass, Self::RefactorUntilLintClean];

    /// Returns its name, such as `fix-until-tests-pass`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => "fix-until-tests-pass",
            Self::RefactorUntilLintClean => "refactor-until-lint-clean",
        }
    }

    /// Returns what its check is for.
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::FixUntilTestsPass => Purpose::Test,
            Self::RefactorUntilLintClean => Purpose::Lint,
        }
    }

    /// Returns the goal.
    pub(super) fn goal(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => "Make all tests pass",
            Self::RefactorUntilLintClean => "Make the code pass the linter",
        }
    }

    /// Returns the prompt.
    pub(super) fn prompt(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => include_str!("prompts/fix-until-tests-pass.md"),
            Self::RefactorUntilLintClean => include_str!("prompts/refactor-until-lint-clean.md"),
        }
    }
}

/// A word that is not the name of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no template `{0}`: write fix-until-tests-pass or refactor-until-lint-clean")]
pub struct UnknownTemplate(String);

impl FromStr for Template {
    type Err = UnknownTemplate;

    fn from_str(name: &str) -> Result<Self, UnknownTemplate> {
        let found = Self::ALL.into_iter().find(|template| template.name() == name);
        found.ok_or_else(|| UnknownTemplate(name.to_owned()))
    }
}

impl Purpose {
    /// Returns the placeholder text for a command that was not found.
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Self::Test => "the command that runs your tests",
            Self::Lint => "the command that runs your linter",
        }
    }
}
