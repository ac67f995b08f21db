//! The charts of a page: results, failing tests, costs and durations.

use std::time::Duration;

use loop_core::Usd;

use super::{
    chart::{Bar, Chart},
    series::{BarKind, Bucket},
};
use crate::words;

const KINDS: &[(&str, &str)] = &[("good", "passed"), ("bad", "not passed"), ("other", "cut or deferred")];

/// The height of an iteration without a score among others that have one: just enough to be visible.
const NO_SCORE: f64 = 0.02;

/// Returns the class of a kind, its word, and its height where there is no score. Not everybody can distinguish them by
/// colour alone.
const fn look(kind: BarKind) -> (&'static str, &'static str, f64) {
    match kind {
        BarKind::Passed => ("good", "passed", 1.0),
        BarKind::Failed => ("bad", "not passed", 0.6),
        BarKind::Other => ("other", "cut or deferred", 0.3),
    }
}

/// Returns the charts that have something to show.
pub(super) fn of(buckets: &[Bucket]) -> Vec<Chart> {
    let cost = money(buckets).or_else(|| tokens(buckets));
    let charts = [Some(verdicts(buckets)), failing_tests(buckets), cost, Some(times(buckets))];
    charts.into_iter().flatten().filter(|chart| !chart.bars.is_empty()).collect()
}

fn verdicts(buckets: &[Bucket]) -> Chart {
    let has_scores = buckets.iter().any(|bucket| bucket.score().is_some());
    let bars = buckets.iter().map(|bucket| {
        let mut words = Vec::new();
        let mut parts = Vec::new();
        for kind in BarKind::ALL {
            let (class, word, height) = look(kind);
            let count = bucket.count(kind);
            if count > 0 {
                let height = bucket.score().unwrap_or(if has_scores { NO_SCORE } else { height });
                parts.push((class, bucket.mean(height * f64::from(count))));
                words.push(if bucket.iterations == 1 { word.to_owned() } else { format!("{count} {word}") });
            }
        }
        let score = bucket.score().map(|score| format!(", score {score:.2}")).unwrap_or_default();
        bar(bucket, parts, &format!("{}{score}", words.join(", ")))
    });
    let (title, top) = if has_scores { ("Score", "from 0 to 1") } else { ("Verdict", "") };
    Chart { title, top: top.to_owned(), legend: KINDS, bars: bars.collect() }
}

fn failing_tests(buckets: &[Bucket]) -> Option<Chart> {
    let most = highest(buckets, Bucket::failing)?;
    // A mean of few tests is not a whole number.
    let shown =
        |failing: f64| if failing.fract() > 0.0 { format!("{failing:.1}") } else { format!("{failing}") };
    Some(amounts("Failing tests", "bad", most, shown, buckets, Bucket::failing))
}

fn money(buckets: &[Bucket]) -> Option<Chart> {
    let usd = |bucket: &Bucket| bucket.cost.map(|cost| bucket.mean(cost.as_f64()));
    let most = highest(buckets, usd)?;
    let shown = |usd: f64| Usd::try_from_f64(usd).map_or_else(|_| "unknown".to_owned(), words::dollars);
    Some(amounts("Cost", "cost", most, shown, buckets, usd))
}

fn tokens(buckets: &[Bucket]) -> Option<Chart> {
    let count = |bucket: &Bucket| bucket.tokens.map(|tokens| bucket.mean(tokens as f64));
    let most = highest(buckets, count)?;
    // Tokens are whole numbers, so a rounded mean is precise enough.
    Some(amounts("Tokens", "cost", most, |tokens| words::grouped(tokens.round() as u64), buckets, count))
}

fn amounts(
    title: &'static str,
    class: &'static str,
    most: f64,
    shown: impl Fn(f64) -> String,
    buckets: &[Bucket],
    of: impl Fn(&Bucket) -> Option<f64>,
) -> Chart {
    let bars = buckets.iter().map(|bucket| match of(bucket) {
        Some(amount) => bar(bucket, vec![(class, amount / most)], &shown(amount)),
        None => bar(bucket, Vec::new(), "unknown"),
    });
    Chart { title, top: format!("at most {}", shown(most)), legend: &[], bars: bars.collect() }
}

fn times(buckets: &[Bucket]) -> Chart {
    let each = |bucket: &Bucket, time: Duration| bucket.mean(time.as_secs_f64());
    let most = highest(buckets, |bucket| Some(each(bucket, bucket.agent + bucket.check))).unwrap_or(1.0);
    let shown = |seconds: f64| words::duration(Duration::from_secs_f64(seconds));
    let bars = buckets.iter().map(|bucket| {
        let (agent, check) = (each(bucket, bucket.agent), each(bucket, bucket.check));
        let label = format!("agent {}, check {}", shown(agent), shown(check));
        bar(bucket, vec![("agent", agent / most), ("check", check / most)], &label)
    });
    let legend = &[("agent", "agent"), ("check", "check")];
    Chart { title: "Time", top: format!("at most {}", shown(most)), legend, bars: bars.collect() }
}

/// Returns the highest of these, if one is above zero.
fn highest(buckets: &[Bucket], of: impl Fn(&Bucket) -> Option<f64>) -> Option<f64> {
    buckets.iter().filter_map(of).max_by(f64::total_cmp).filter(|most| *most > 0.0)
}

fn bar(bucket: &Bucket, parts: Vec<(&'static str, f64)>, what: &str) -> Bar {
    let mean = if bucket.iterations == 1 { "" } else { ", in the mean" };
    Bar { parts, label: format!("{}{mean}: {what}", bucket.name()) }
}
