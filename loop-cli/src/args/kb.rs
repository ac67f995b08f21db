//! The command line of `loop kb`.

use clap::{Args, Subcommand};

use super::KnowledgeArgs;

pub(crate) const ABOUT_KB: &str = "\
Exit:  0 done  1 nothing was found  2 wrong usage  3 it could not be done

Examples:
  loop kb project add parser
  loop kb observe finding the tokeniser is the slow part
  loop kb search tokeniser";

#[derive(Debug, Args)]
pub(crate) struct KbArgs {
    #[command(subcommand)]
    pub(crate) command: KbCommand,
    #[command(flatten)]
    pub(crate) place: KnowledgeArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KbCommand {
    /// Count the notes, and print the project in use
    Status,
    /// Find notes
    Search {
        /// Any text
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// List, add, use and delete projects
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Add an observation to the project in use
    Observe {
        /// `note`, `finding`, `decision`, `question` or `hypothesis`, then the text; without a kind it is a note
        #[arg(required = true, value_name = "[KIND] TEXT")]
        words: Vec<String>,
    },
    /// List and add concepts
    #[command(subcommand)]
    Concept(ConceptCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// List the projects, with their concepts
    List,
    /// Add a project, and use it if none is in use
    Add {
        /// Its name
        name: String,
        /// Its description
        description: Vec<String>,
    },
    /// Add observations to this project from now on
    Use {
        /// Its name
        name: String,
    },
    /// Delete a project
    Drop {
        /// Its name
        name: String,
        /// Delete its observations too
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConceptCommand {
    /// List the concepts
    List,
    /// Add a concept, and link it to the project in use
    Add {
        /// Its name
        name: String,
        /// Its description
        description: Vec<String>,
    },
}
