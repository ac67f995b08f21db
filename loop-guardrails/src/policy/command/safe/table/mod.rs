//! What is known of programs: the options that are let through, and those that are not what they seem.
//!
//! This is data. An option runs if it stands here, by its whole name; what nobody has thought about is refused.
//! A list of bad options alone would not do: one that is forgotten takes the next word for its value, and so
//! hides a path from us that the program reads; and many programs take the beginning of a name for the whole.
//! So each row says which options have no value, which have one, and which name a file. Rows hold what the
//! common editions of a program (GNU, BSD) agree on.

mod listing;
mod text;

/// What an option does that its program's name does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Executes,
    Writes,
    /// Reads files that are not named as operands, so that nobody can judge them.
    ReadsUnseen,
    /// Walks through links, which may lead anywhere.
    FollowsLinks,
}

impl Does {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Executes => "it starts another program; run that by itself",
            Self::Writes => "it writes, or changes the system; use the tools for files",
            Self::ReadsUnseen => {
                "it reads files that are not named one by one; use `search_files`, or name them"
            }
            Self::FollowsLinks => "it follows links out of the workspace; do without it",
        }
    }
}

/// What a program's words are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Paths of files that it reads.
    Paths,
    /// A pattern or a script, unless one of these options gives it; then paths.
    TextThenPaths(&'static str),
    /// Paths, and an expression whose options have one dash and long names (`find`).
    Expression,
    /// One path that it reads; a second one it would write.
    OnePath,
    /// No paths.
    Text,
    /// No paths, and each begins with `+`: others would set the clock (`date`).
    Format,
    /// Options are nothing but words as well: none does any harm.
    Anything,
}

/// What is known of one program. Options stand in a text, with blanks between them.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) operands: Operands,
    /// Options without a value; `-NUM` stands for `-5`.
    pub(super) flags: &'static str,
    /// Options whose value is the word behind them, if it is not attached.
    pub(super) valued: &'static str,
    /// Options whose value is attached, or missing.
    pub(super) attached: &'static str,
    /// Options whose value is two words.
    pub(super) pairs: &'static str,
    /// Options whose value is the path of a file that is read.
    pub(super) files: &'static str,
    pub(super) refused: &'static [(Does, &'static str)],
    /// What its scripts may not say, word by word.
    pub(super) unspoken: Option<(Does, &'static str)>,
    /// Options without which it does not run, and why.
    pub(super) needs: &'static [(&'static str, &'static str)],
    /// Operands that are no paths but subcommands, and what they do.
    pub(super) subcommands: Option<(Does, &'static str)>,
    /// Whether its first word is a bundle of options even without a dash.
    pub(super) has_bundle: bool,
    /// Whether its options end at the first word that is none: what looks like an option behind it is a file.
    pub(super) is_ordered: bool,
    /// Whether it reads what is in the files that it is given, and so can be given them open.
    pub(super) opens: bool,
    /// Options with which it looks into folders; `*` if it always does.
    pub(super) walks: &'static str,
}

const fn program(names: &'static [&'static str], operands: Operands) -> Program {
    Program {
        names,
        operands,
        flags: "",
        valued: "",
        attached: "",
        pairs: "",
        files: "",
        refused: &[],
        unspoken: None,
        needs: &[],
        subcommands: None,
        has_bundle: false,
        is_ordered: false,
        opens: false,
        walks: "",
    }
}

impl Program {
    /// Whether an option of this whole name is let through.
    pub(super) fn knows(&self, option: &str) -> bool {
        [self.flags, self.valued, self.attached, self.pairs, self.files]
            .iter()
            .any(|options| is_in(options, option))
    }
}

/// Whether one of these options has this whole name.
pub(super) fn is_in(options: &str, option: &str) -> bool {
    options.split_whitespace().any(|it| it == option)
}

/// Programs that start others, beside those that [`wrapper`](super::wrapper) looks through. Of `awk`, only `gawk`
/// can be kept from it: others take the option that does so for a mistake, and run on.
pub(super) const STARTERS: &[&str] = &[
    "awk", "busybox", "chroot", "doas", "fish", "flock", "mawk", "nawk", "nsenter", "parallel", "script",
    "strace", "su", "toybox", "unshare", "watch",
];

/// Programs of which something is known. Of all others every word counts as a path.
pub(super) fn programs() -> impl Iterator<Item = &'static Program> {
    listing::PROGRAMS.iter().chain(text::PROGRAMS)
}

/// What is known of this program.
pub(super) fn find(program: &str) -> Option<&'static Program> {
    programs().find(|known| known.names.contains(&program))
}
