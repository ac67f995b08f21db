//! The command lines of `loop skill` and `loop skill-set`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills of this folder, and the user's own
    List {
        /// Print one JSON object per skill
        #[arg(long)]
        json: bool,
    },
    /// Show the fields and the body of a skill
    #[command(visible_alias = "show")]
    Info {
        /// The name of the skill
        name: String,
        /// Print its fields as JSON
        #[arg(long)]
        json: bool,
    },
    /// Report what is wrong with skills
    #[command(after_help = "Exit codes:  0  nothing   1  something is wrong   2  wrong usage")]
    Check {
        /// Folders of skills [default: all skills of this folder, and the user's own]
        folders: Vec<PathBuf>,
        /// Apply all rules of the format, as its reference validator does
        #[arg(long)]
        strict: bool,
        /// Print one JSON object per skill
        #[arg(long)]
        json: bool,
    },
    /// Write a skill into .agents/skills
    New(NewSkillArgs),
    /// Run the script of a skill, or let a model follow its instructions
    #[command(after_help = "Exit codes:  0  done   1  it failed   2  wrong usage\n\n\
                            A script runs only after a yes to its text, at a terminal, now or earlier.")]
    Run {
        /// The name of the skill
        name: String,
        /// Values of variables (KEY=VALUE), then the prompt
        text: Vec<String>,
        /// Use this model [default: from the settings]
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Ask a model for the script of a skill, and write it after a yes
    Compile {
        /// The name of the skill
        name: String,
        /// Use this model [default: from the settings]
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Show at most 3 skills that a model proposes after it read a session
    Suggest {
        /// The session [default: the last one in this folder]
        session: Option<String>,
        /// Use this model [default: from the settings]
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// List the scripts to which you agreed in this folder
    Agreed {
        /// Print one JSON object per script
        #[arg(long)]
        json: bool,
    },
    /// Withdraw your yes to the scripts of a skill
    Withdraw {
        /// The name of the skill, or the digest of one script
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct NewSkillArgs {
    /// Its name, which is that of its folder [default: you are asked]
    pub(crate) name: Option<String>,
    /// Its purpose and when to use it [default: you are asked]
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// The words or the /PATTERN/ of prompts that go with it
    #[arg(long, value_name = "TEXT")]
    pub(crate) trigger: Option<String>,
    /// Its requirements
    #[arg(long, value_name = "TEXT")]
    pub(crate) compatibility: Option<String>,
    /// Print its fields as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillSetCommand {
    /// List the sets of skills
    List {
        /// Print one JSON object per set
        #[arg(long)]
        json: bool,
    },
    /// Show the skills of a set
    Info {
        /// The name of the set
        name: String,
        /// Print its fields as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a set into .agents/skill-sets
    Create {
        /// Its name
        name: String,
        /// The names of its skills
        #[arg(required = true)]
        skills: Vec<String>,
        /// Print its fields as JSON
        #[arg(long)]
        json: bool,
    },
}
