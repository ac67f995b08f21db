//! `snapshots`, `on_halt`, `on_regression` and `evaluator.score`.

use regex::Regex;

use super::{
    super::{
        diagnostics::Diagnostic,
        field::{Field, FieldValue},
        raw::RawEvaluator,
        raw_snapshots::{RawScore, RawSnapshots},
        snapshot_plan::{Direction, OnHalt, ScorePlan, ScoreSource, SnapshotMode, SnapshotPlan},
    },
    words::{filled, word},
};

const MODES: [(&str, SnapshotMode); 3] =
    [("auto", SnapshotMode::Auto), ("on", SnapshotMode::On), ("off", SnapshotMode::Off)];

const ON_HALT: [(&str, OnHalt); 3] =
    [("keep", OnHalt::Keep), ("restore_best", OnHalt::RestoreBest), ("restore_start", OnHalt::RestoreStart)];

/// The words of `on_regression`, and whether the run returns to the best step.
const ON_REGRESSION: [(&str, bool); 2] = [("keep", false), ("restore", true)];

const DIRECTIONS: [(&str, Direction); 2] = [("up", Direction::Up), ("down", Direction::Down)];

/// The settings of snapshots.
#[derive(Debug)]
pub(super) struct Restores {
    pub(super) snapshots: SnapshotPlan,
    pub(super) on_halt: OnHalt,
    pub(super) on_regression: bool,
}

/// The parts of the check that matter here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// Whether it measures a number.
    pub(super) has_score: bool,
    /// Whether it is sealed.
    pub(super) is_sealed: bool,
}

impl Needs {
    /// Returns those of this check.
    pub(super) fn of(raw: &RawEvaluator) -> Self {
        Self { has_score: raw.score.is_some(), is_sealed: raw.seal.is_sealed() }
    }
}

/// Validates the keys about snapshots.
pub(super) fn restores(
    raw: RawSnapshots,
    on_halt: Field<String>,
    on_regression: Field<String>,
    Needs { has_score, is_sealed }: Needs,
    problems: &mut Vec<Diagnostic>,
) -> Option<Restores> {
    let mode = raw.mode.judge(problems, |at| {
        let mode =
            word(&at, &MODES, "`auto` is the default: the run captures its folder unless that is large")?;
        match mode {
            SnapshotMode::Off if is_sealed => Err(Diagnostic::error("`evaluator.sealed` needs snapshots")
                .at(at.span.clone(), "there is nothing to judge in a tree of its own")
                .help("remove `snapshots: off`, or the sealed check")),
            mode => Ok(mode),
        }
    });
    let max_file = raw.max_file.judge(problems, bytes);
    let max_bytes = raw.max_bytes.judge(problems, bytes);
    let ignored = raw.ignored.judge(problems, |at| Ok(at.value));
    let is_off = matches!(mode.written(), Some(at) if at.value == SnapshotMode::Off);
    let needs = |at: &FieldValue<String>, of_score: bool| match (is_off, of_score && !has_score) {
        (true, _) => Err(Diagnostic::error(format!("`{}` needs snapshots", at.key))
            .at(at.span.clone(), "there is nothing to restore")
            .help("remove `snapshots: off`, or write `keep`")),
        (_, true) => Err(Diagnostic::error(format!("`{}` needs `evaluator.score`", at.key))
            .at(at.span.clone(), "no step is better than another")
            .help("write `evaluator.score` with a `pattern` or a `pointer`, or write `keep`")),
        _ => Ok(()),
    };
    let on_halt = on_halt.judge(problems, |at| {
        let chosen = word(&at, &ON_HALT, "`keep` is the default: the folder stays as it is")?;
        if chosen != OnHalt::Keep {
            needs(&at, chosen == OnHalt::RestoreBest)?;
        }
        Ok(chosen)
    });
    let on_regression = on_regression.judge(problems, |at| {
        let restores = word(&at, &ON_REGRESSION, "`keep` is the default: the folder stays as it is")?;
        if restores {
            needs(&at, true)?;
        }
        Ok(restores)
    });
    let usual = SnapshotPlan::default();
    let (on_halt, on_regression) = (on_halt.or(OnHalt::Keep)?, on_regression.or(false)?);
    let mut mode = mode.or(usual.mode)?;
    // A feature in use needs the snapshots, however large the folder is.
    if mode == SnapshotMode::Auto && (is_sealed || on_regression || on_halt != OnHalt::Keep) {
        mode = SnapshotMode::On;
    }
    Some(Restores {
        snapshots: SnapshotPlan {
            mode,
            max_file: max_file.or(usual.max_file)?,
            max_bytes: max_bytes.or(usual.max_bytes)?,
            ignored: ignored.or(usual.ignored)?,
        },
        on_halt,
        on_regression,
    })
}

fn bytes(at: FieldValue<i128>) -> Result<u64, Diagnostic> {
    u64::try_from(at.value).ok().filter(|bytes| *bytes > 0).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be a number of bytes above 0", at.key))
            .at(at.span, if at.value > 0 { "this is too large" } else { "nothing could be stored" })
    })
}

/// Validates `evaluator.score`. `has_command` says whether the check is a command.
pub(super) fn score(raw: RawScore, has_command: bool, problems: &mut Vec<Diagnostic>) -> Option<ScorePlan> {
    if !has_command {
        problems.push(
            Diagnostic::error("`evaluator.score` needs `evaluator.command`")
                .at(raw.span.clone(), "there is no output in which the number could be")
                .help("write the command that measures, or remove `evaluator.score`"),
        );
    }
    if let (Some(_), Some(pointer)) = (raw.pattern.written(), raw.pointer.written()) {
        problems.push(
            Diagnostic::error("`evaluator.score` has both `pattern` and `pointer`")
                .at(pointer.span.clone(), "the second one")
                .help("remove one of them"),
        );
        return None;
    }
    let pattern = raw.pattern.judge(problems, pattern);
    let pointer = raw.pointer.judge(problems, pointer);
    let direction = raw.direction.judge(problems, |at| {
        word(&at, &DIRECTIONS, "it says which numbers are better; `up` is the default")
    });
    let source = match (pattern.optional()?, pointer.optional()?) {
        (Some(pattern), _) => ScoreSource::Pattern(pattern),
        (None, pointer) => ScoreSource::Pointer(pointer?),
    };
    has_command.then_some(ScorePlan { source, direction: direction.or(Direction::Up)? })
}

fn pattern(at: FieldValue<String>) -> Result<Regex, Diagnostic> {
    match Regex::new(&at.value) {
        Ok(pattern) if pattern.captures_len() == 2 => Ok(pattern),
        Ok(_) => Err(Diagnostic::error(format!("`{}` needs one group around the number", at.key))
            .at(at.span, "for example `score: (\\d+)`")
            .help("write `(?:...)` for a group that is not the number")),
        Err(error) => Err(Diagnostic::error(format!("`{}` cannot be used as a regular expression", at.key))
            .at(at.span, error.to_string().lines().last().unwrap_or_default().to_owned())),
    }
}

fn pointer(at: FieldValue<String>) -> Result<String, Diagnostic> {
    if at.value.starts_with('/') {
        return Ok(at.value);
    }
    let better = format!("/{}", at.value.replace('.', "/"));
    let finding = Diagnostic::error(format!("`{}` has to be a JSON pointer, which begins with `/`", at.key));
    let span = at.span.clone();
    filled(at)?;
    Err(finding.at(span, format!("write `{better}`")))
}
