//! `evaluator.sealed`, and the keys about it.

use std::num::NonZeroU64;

use super::{
    super::{
        diagnostics::Diagnostic,
        field::{Field, FieldValue, SpannedText, WordOrWhole},
        raw_seal::RawSeal,
        seal_plan::{MinTests, OnProtectedChange, SealPlan},
        sealed::check_pattern,
    },
    words::word,
};

const MIN_TESTS: [(&str, MinTests); 3] =
    [("count", MinTests::Count), ("names", MinTests::Names), ("off", MinTests::Off)];

const ON_CHANGE: [(&str, OnProtectedChange); 3] = [
    ("restore", OnProtectedChange::Restore),
    ("keep", OnProtectedChange::Keep),
    ("halt", OnProtectedChange::Halt),
];

/// The largest number of passes in a row.
const MAX_PASSES: u64 = 100;

/// The sealed check, and how often it has to pass.
#[derive(Debug)]
pub(super) struct Seal {
    pub(super) plan: Option<SealPlan>,
    pub(super) confirm: Option<NonZeroU64>,
}

/// Validates the keys. `has_command` says whether the check is a command, and `setup` is the valid command for dependencies.
pub(super) fn seal(
    raw: RawSeal,
    has_command: bool,
    setup: Field<String>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Seal> {
    let is_sealed = raw.is_sealed();
    let only_sealed = |key: &'static str, span, problems: &mut Vec<Diagnostic>| {
        if !is_sealed {
            problems.push(
                Diagnostic::error(format!("`{key}` needs a sealed check"))
                    .at(span, "without a sealed check, this has no effect")
                    .help("write `evaluator.sealed: true` beside it"),
            );
        }
    };
    let places = [
        raw.protect.written().map(|at| (at.key, at.span.clone())),
        raw.min_tests.written().map(|at| (at.key, at.span.clone())),
        raw.on_change.written().map(|at| (at.key, at.span.clone())),
        setup.written().map(|at| (at.key, at.span.clone())),
    ];
    for (key, span) in places.into_iter().flatten() {
        only_sealed(key, span, problems);
    }
    let needs_command = |at: FieldValue<bool>| match at.value && !has_command {
        true => Err(Diagnostic::error("`evaluator.sealed` needs `evaluator.command`")
            .at(at.span, "only a command can be sealed")
            .help("write the command that judges, or remove this")),
        false => Ok(at.value),
    };
    let sealed = raw.sealed.judge(problems, needs_command);
    let protect = raw.protect.judge(problems, patterns);
    let min_tests = raw.min_tests.judge(problems, min_tests);
    let on_change = raw.on_change.judge(problems, |at| {
        word(&at, &ON_CHANGE, "`restore` is the default: loop puts the files back, and tells the agent")
    });
    let confirm = confirm(raw.confirm, has_command, problems)?;
    let plan = SealPlan {
        protect: protect.or(Vec::new())?,
        min_tests: min_tests.or(MinTests::Count)?,
        on_change: on_change.or(OnProtectedChange::Restore)?,
        setup: setup.optional()?,
    };
    Some(Seal { plan: sealed.or(false)?.then_some(plan), confirm })
}

fn patterns(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    for item in &at.value {
        if let Err(why) = check_pattern(&item.value) {
            return Err(Diagnostic::error(format!("a path in `{}` cannot be used", at.key))
                .at(item.span.clone(), why)
                .help("write paths as in a `.gitignore`, such as `tests/**`, and `!` before an exception"));
        }
    }
    Ok(at.value.into_iter().map(|item| item.value).collect())
}

fn min_tests(at: FieldValue<WordOrWhole>) -> Result<MinTests, Diagnostic> {
    match at.value {
        WordOrWhole::Word(text) => word(
            &FieldValue { key: at.key, value: text, span: at.span },
            &MIN_TESTS,
            "a number of tests is possible too",
        ),
        WordOrWhole::Whole(number) => {
            u64::try_from(number).ok().filter(|number| *number > 0).map(MinTests::Number).ok_or_else(|| {
                Diagnostic::error(format!("`{}` has to be at least 1", at.key))
                    .at(at.span, "no number of tests is less")
                    .help("write `off` if tests need not run")
            })
        }
    }
}

fn confirm(
    raw: Field<i128>,
    has_command: bool,
    problems: &mut Vec<Diagnostic>,
) -> Option<Option<NonZeroU64>> {
    let times = raw.judge(problems, |at| {
        if !has_command {
            return Err(Diagnostic::error(format!("`{}` needs `evaluator.command`", at.key))
                .at(at.span, "only a command is run again")
                .help("write the command that judges, or remove this"));
        }
        u64::try_from(at.value).ok().filter(|times| (1..=MAX_PASSES).contains(times)).ok_or_else(|| {
            Diagnostic::error(format!("`{}` has to be from 1 to {MAX_PASSES}", at.key))
                .at(at.span, "not a number of passes in a row")
        })
    });
    Some(times.or(1)?.checked_sub(1).and_then(NonZeroU64::new).map(|more| more.saturating_add(1)))
}
