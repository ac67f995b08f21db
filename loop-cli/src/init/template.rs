//! The templates: what an agent is asked to reach, and what it must not do to get there.
//!
//! An agent that is only told to make a check pass will sooner or later change the check. So most of
//! a template's prompt says which ways out are closed.

use clap::ValueEnum;

/// A loop that many projects need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// Mend the code until the project's tests pass
    FixUntilTestsPass,
    /// Rewrite the code until the project's linter finds nothing
    RefactorUntilLintClean,
}

/// What a check is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It runs the tests.
    Test,
    /// It runs the linter.
    Lint,
}

impl Template {
    /// The name, as it is written on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => "fix-until-tests-pass",
            Self::RefactorUntilLintClean => "refactor-until-lint-clean",
        }
    }

    /// What its check is for.
    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Self::FixUntilTestsPass => Purpose::Test,
            Self::RefactorUntilLintClean => Purpose::Lint,
        }
    }

    /// What is to be reached.
    pub(super) fn goal(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => "Make all tests pass",
            Self::RefactorUntilLintClean => "Make the code pass the linter",
        }
    }

    /// What the agent is told.
    pub(super) fn prompt(self) -> &'static str {
        match self {
            Self::FixUntilTestsPass => include_str!("prompts/fix-until-tests-pass.md"),
            Self::RefactorUntilLintClean => include_str!("prompts/refactor-until-lint-clean.md"),
        }
    }
}

impl Purpose {
    /// What stands where no command was found.
    pub(super) fn wanted(self) -> &'static str {
        match self {
            Self::Test => "the command that runs your tests",
            Self::Lint => "the command that runs your linter",
        }
    }
}
