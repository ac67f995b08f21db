//! The command line of `loop rag`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) const ABOUT_RAG: &str = "\
Exit:  0 done  1 nothing was found  2 wrong usage  3 it could not be done

Examples:
  loop rag new docs
  loop rag ingest docs README.md
  loop rag query 'how is a run resumed?'
  loop rag on";

#[derive(Debug, Args)]
pub(crate) struct RagArgs {
    #[command(subcommand)]
    pub(crate) command: RagCommand,
    #[command(flatten)]
    pub(crate) place: KnowledgeArgs,
}

// What `loop rag` and `loop kb` share.
#[derive(Debug, Args)]
pub(crate) struct KnowledgeArgs {
    /// Use what is known about this folder [default: the current folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) cwd: Option<PathBuf>,
    /// Print one JSON object per item
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RagCommand {
    /// List the stores of this folder
    List,
    /// Create a store
    New {
        /// The name of the store: letters, digits, `-` and `_`
        name: String,
        /// The maker of vectors: `none` (full text alone), `hashed`,
        /// `model2vec`, or a model such as ollama:nomic-embed-text
        #[arg(long, value_name = "NAME", default_value = "none")]
        embedder: String,
    },
    /// Use a store from now on
    Use {
        /// The name of the store
        name: String,
    },
    /// Delete a store; the files that it was made from stay
    Drop {
        /// The name of the store
        name: String,
    },
    /// Read files, folders and addresses into a store
    Ingest {
        /// Files, folders, and addresses (http, https)
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Drop the sources below these paths that are gone
        #[arg(long)]
        prune: bool,
        /// The store [default: the one in use]
        #[arg(long, value_name = "NAME")]
        store: Option<String>,
    },
    /// Describe the store in use
    Status,
    /// Find chunks
    Query {
        /// Any text
        #[arg(required = true)]
        text: Vec<String>,
        /// Print at most N chunks [default: 5, or as the settings say]
        #[arg(long, value_name = "N")]
        top_k: Option<usize>,
        /// The store [default: the one in use]
        #[arg(long, value_name = "NAME")]
        store: Option<String>,
    },
    /// Add hits to the prompts of sessions in this folder
    On,
    /// Stop adding hits to prompts
    Off,
}
