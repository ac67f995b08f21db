//! The check: a command, a number that the agent says, a model that judges, an agent that reviews.

use loop_agents::{
    judge::{DEFAULT_CONFIDENCE_KEY, MAX_CRITERIA, MAX_VOTES, VotePolicy},
    shell::Variables,
};

use super::{
    super::{
        diagnostics::Diagnostic,
        field::{Field, FieldValue, SpannedText},
        plan::{ConfidencePlan, EvaluatorPlan, JudgePlan},
        raw::RawEvaluator,
        raw_checks::{RawConfidence, RawJudge},
        usage_reporter,
    },
    agent::unrunnable,
    empty, filled, guardrails,
    plan_check::{pipeline, plan_check},
    review::review,
    seal, snapshots,
    words::threshold,
};

/// The check that `raw`, which was read from `text`, describes.
pub(super) fn evaluator(
    raw: RawEvaluator,
    (text, variables): (&str, &Variables),
    problems: &mut Vec<Diagnostic>,
) -> Option<EvaluatorPlan> {
    let command = raw.command.judge(problems, |at| plain_command(&at, text, variables));
    let max_time = raw.max_seconds.judge(problems, |at| guardrails::time_limit(&at));
    // Report errors in both: one must not hide the other.
    let confidence = raw.confidence.map(|raw| confidence(raw, problems));
    let judge = raw.judge.map(|raw| judge(raw, problems));
    let review = raw.review.map(|raw| review(raw, (text, variables), problems));
    let plan = raw.plan.map(|raw| plan_check(raw, problems));
    let pipeline = raw.pipeline.map(|raw| pipeline(raw, problems));
    let has_command = command.written().is_some();
    let score = raw.score.map(|raw| snapshots::score(raw, has_command, problems));
    let mut seal = raw.seal;
    let setup = std::mem::take(&mut seal.setup).judge(problems, |at| plain_command(&at, text, variables));
    let seal = seal::seal(seal, has_command, setup, problems);
    let command = command.optional()?;
    let seal = seal?;
    Some(EvaluatorPlan {
        is_uncounted: command.as_deref().is_some_and(|line| usage_reporter::uncounted(line).is_some()),
        command,
        confidence: of_both(confidence)?,
        judge: of_both(judge)?,
        review: of_both(review)?,
        plan: of_both(plan)?,
        pipeline: of_both(pipeline)?,
        score: of_both(score)?,
        max_time: max_time.optional()?,
        seal: seal.plan,
        confirm: seal.confirm,
        sandbox: None,
    })
}

/// Refuses a first check of what no agent has done yet.
pub(super) fn check_first(at: &FieldValue<bool>, raw: &RawEvaluator) -> Result<bool, Diagnostic> {
    if raw.seal.is_sealed() && !at.value {
        return Err(Diagnostic::error(format!("a sealed check cannot have `{}: false`", at.key))
            .at(at.span.clone(), "it compares with the tests that run before the first iteration")
            .help("remove it"));
    }
    match raw.checks().find(|check| at.value && !["command", "plan"].contains(check)) {
        None => Ok(at.value),
        Some(other) => Err(Diagnostic::error(format!("`{}` needs a check that is only a command", at.key))
            .at(
                at.span.clone(),
                format!("before the first iteration, `evaluator.{other}` has nothing to judge"),
            )
            .help("remove it, or write a check that is only a command")),
    }
}

/// Returns `None` if the existing part is invalid.
fn of_both<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    part.map_or(Some(None), |part| part.map(Some))
}

/// A command without a prompt, so `{prompt}` is a text like any other there.
pub(super) fn plain_command(
    at: &FieldValue<String>,
    text: &str,
    variables: &Variables,
) -> Result<String, Diagnostic> {
    variables.fill_command(&at.value).map_err(|error| unrunnable(at, error, text))
}

fn confidence(raw: RawConfidence, problems: &mut Vec<Diagnostic>) -> Option<ConfidencePlan> {
    let at_least = raw.at_least.judge(problems, threshold);
    let key = raw.key.judge(problems, filled);
    Some(ConfidencePlan { at_least: at_least.required()?, key: key.or(DEFAULT_CONFIDENCE_KEY.to_owned())? })
}

fn judge(raw: RawJudge, problems: &mut Vec<Diagnostic>) -> Option<JudgePlan> {
    let model = raw.model.judge(problems, filled);
    let criteria = raw.criteria.judge(problems, criteria);
    let votes = votes(raw.votes, raw.pass, problems);
    let prompt = raw.prompt.judge(problems, filled);
    Some(JudgePlan {
        model: model.required()?.parse().ok()?,
        criteria: criteria.required()?,
        votes: votes?,
        prompt: prompt.optional()?,
    })
}

fn criteria(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    match at.value.len() {
        0 => return Err(empty(&FieldValue { key: at.key, value: String::new(), span: at.span })),
        count if count > MAX_CRITERIA => {
            return Err(Diagnostic::error(format!("`{}` has {count} criteria", at.key))
                .at(at.span, format!("a judge can have {MAX_CRITERIA}"))
                .help("leave out what a command can check, and what the others imply"));
        }
        _ => {}
    }
    let blank = at.value.iter().position(|item| item.value.trim().is_empty());
    match blank.and_then(|index| at.value.get(index)) {
        Some(item) => Err(Diagnostic::error(format!("a text in `{}` is empty", at.key))
            .at(item.span.clone(), "anything would meet this")
            .help("remove it")),
        None => Ok(at.value.into_iter().map(|item| item.value).collect()),
    }
}

/// Validates the number of votes, and of required yes votes.
fn votes(most: Field<i128>, needed: Field<i128>, problems: &mut Vec<Diagnostic>) -> Option<VotePolicy> {
    let most = most.judge(problems, count).or(1)?;
    let written = needed.written().map(|at| (at.key, at.span.clone()));
    let needed = needed.judge(problems, count).or(most / 2 + 1)?;
    let votes = VotePolicy::of(needed, most);
    if let (Err(_), Some((key, span))) = (&votes, written) {
        let votes = if most == 1 { "1 vote".to_owned() } else { format!("{most} votes") };
        let finding = Diagnostic::error(format!("`{key}` is more than there are votes"));
        let finding = finding.at(span, format!("of {votes}, {needed} cannot say yes"));
        problems.push(finding.help("raise `votes`, or lower this"));
    }
    votes.ok()
}

fn count(at: FieldValue<i128>) -> Result<u32, Diagnostic> {
    let count = u32::try_from(at.value).ok().filter(|count| (1..=MAX_VOTES).contains(count));
    count.ok_or_else(|| {
        let label = if at.value < 1 { "nobody would be asked" } else { "this is too large" };
        Diagnostic::error(format!("`{}` has to be a number from 1 to {MAX_VOTES}", at.key)).at(at.span, label)
    })
}
