//! The table of programs: their allowed options, and those that do more than they seem to.
//!
//! This is data. An option is allowed if its whole name is listed here; all others are refused. A list of bad options
//! would not be enough: a forgotten option takes the next word as its value, and so hides a path that the program
//! reads. Many programs also accept the beginning of a name for the whole. So each row lists the options without a
//! value, those with one, and those that name a file. Rows contain the options that the common editions of a program
//! (GNU, BSD) agree on.

mod listing;
mod text;

/// An effect of an option that its program's name does not suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionEffect {
    Executes,
    Writes,
    /// Reads files that are not operands, so that the policy cannot judge them.
    ReadsUnseen,
    /// Follows links during a search, and they may lead anywhere.
    FollowsLinks,
}

impl OptionEffect {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Executes => "it starts another program; run that by itself",
            Self::Writes => "it writes, or changes the system; use the tools for files",
            Self::ReadsUnseen => {
                "it reads files that are not named one by one; use `search_files`, or name them"
            }
            Self::FollowsLinks => "it follows links out of the workspace; leave it out",
        }
    }
}

/// The meaning of a program's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Paths of files to read.
    Paths,
    /// A pattern or a script, unless one of these options gives it; then paths.
    TextThenPaths(&'static str),
    /// Paths, and an expression whose options have one dash and long names (`find`).
    Expression,
    /// One path to read. The program would write to a second one.
    OnePath,
    /// No paths.
    Text,
    /// No paths, and each begins with `+`, because others would set the clock (`date`).
    Format,
    /// Options are plain words too, and all are harmless.
    Anything,
}

/// The known options of one program. Each field is a text with blanks between options.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) operands: Operands,
    /// Options without a value. `-NUM` means any number, such as `-5`.
    pub(super) flags: &'static str,
    /// Options whose value is the next word, if it is not attached.
    pub(super) valued: &'static str,
    /// Options with an optional, attached value.
    pub(super) attached: &'static str,
    /// Options whose value is two words.
    pub(super) pairs: &'static str,
    /// Options whose value is the path of a file to read.
    pub(super) files: &'static str,
    pub(super) refused: &'static [(OptionEffect, &'static str)],
    /// Words that its scripts may not contain.
    pub(super) unspoken: Option<(OptionEffect, &'static str)>,
    /// Options that it requires, each with the reason.
    pub(super) needs: &'static [(&'static str, &'static str)],
    /// Operands that are subcommands and not paths, and their effect.
    pub(super) subcommands: Option<(OptionEffect, &'static str)>,
    /// Whether its first word is a bundle of options even without a dash.
    pub(super) has_bundle: bool,
    /// Whether its options end at the first operand. Any word after that is a file, even if it looks like an option.
    pub(super) is_ordered: bool,
    /// Whether the value of an option is always the next word, and letters after the option are options as well.
    pub(super) is_detached: bool,
    /// Whether it reads the contents of its files, so that we can pass them already open.
    pub(super) opens: bool,
    /// Options that make it search folders; `*` if it always does.
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
        is_detached: false,
        opens: false,
        walks: "",
    }
}

impl Program {
    /// Returns whether the option of this whole name is allowed.
    pub(super) fn knows(&self, option: &str) -> bool {
        [self.flags, self.valued, self.attached, self.pairs, self.files]
            .iter()
            .any(|options| is_in(options, option))
    }
}

/// Returns whether one of these options has this whole name.
pub(super) fn is_in(options: &str, option: &str) -> bool {
    options.split_whitespace().any(|it| it == option)
}

/// Programs that start others, in addition to those that [`wrapper`](super::wrapper) parses. Only `gawk` can be
/// prevented from it; other versions of `awk` reject that option as a mistake, and continue.
pub(super) const STARTERS: &[&str] = &[
    "awk",
    "busybox",
    "bwrap",
    "catchsegv",
    "cgexec",
    "choom",
    "chroot",
    "chrt",
    "doas",
    "dtach",
    "dumb-init",
    "eatmydata",
    "firejail",
    "fish",
    "flock",
    "gosu",
    "i386",
    "linux32",
    "linux64",
    "ltrace",
    "mawk",
    "nawk",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "prlimit",
    "proot",
    "rlwrap",
    "runcon",
    "runuser",
    "s6-setuidgid",
    "script",
    "setarch",
    "setpriv",
    "sg",
    "start-stop-daemon",
    "strace",
    "su",
    "su-exec",
    "systemd-inhibit",
    "systemd-run",
    "taskset",
    "tini",
    "toybox",
    "tsp",
    "uname26",
    "unshare",
    "viddy",
    "watch",
    "winpty",
    "x86_64",
];

/// Returns the programs in the table. For all others, every word counts as a path.
pub(super) fn programs() -> impl Iterator<Item = &'static Program> {
    listing::PROGRAMS.iter().chain(text::PROGRAMS)
}

/// Returns the table entry of this program.
pub(super) fn find(program: &str) -> Option<&'static Program> {
    programs().find(|known| known.names.contains(&program))
}

/// Returns whether this program runs scripts that can start others unless an option prevents it: `sed`, `gawk`.
pub(super) fn runs_scripts(program: &str) -> bool {
    find(program).is_some_and(|known| !known.needs.is_empty())
}

/// Returns whether this program may start others: only those in the table without such an option cannot, nor such scripts.
pub(super) fn may_start_others(program: &str) -> bool {
    let starts = |effect: OptionEffect| effect == OptionEffect::Executes;
    find(program).is_none_or(|known| {
        !known.needs.is_empty()
            || known.refused.iter().any(|(effect, _)| starts(*effect))
            || known.unspoken.is_some_and(|(effect, _)| starts(effect))
            || known.subcommands.is_some_and(|(effect, _)| starts(effect))
    })
}
