//! The statistics line after a turn.

use std::time::Duration;

use loop_agents::chat::TurnOutput;
use loop_core::{Cost, CostQuality, Usage};

use loop_telemetry::words::{
    self,
    style::{DIM, paint},
};

use super::state::Session;

/// Formats the model, the tokens, the time and the cost. Unreported values are left out. An unknown cost matters, so
/// it is shown if `tells_unknown_cost`.
pub(crate) fn statistics(
    model: &str,
    output: &TurnOutput,
    context: Option<&str>,
    elapsed: Duration,
    tells_unknown_cost: bool,
) -> String {
    let usage = &output.usage;
    let reply = usage.output_tokens.map(|tokens| format!("{} reply", words::grouped(tokens)));
    let read = usage.input_tokens.map(|tokens| format!("{} read", words::grouped(tokens)));
    let tokens: Vec<_> = reply.into_iter().chain(read).collect();
    let speed = usage.output_tokens.filter(|_| !elapsed.is_zero());
    let speed = speed.map(|tokens| format!("{} tok/s", tenths(tokens as f64 / elapsed.as_secs_f64())));
    let cost = match usage.cost {
        None if tokens.is_empty() || !tells_unknown_cost => None,
        None => Some("cost unknown".to_owned()),
        Some(cost) => Some(money(cost)),
    };
    let tokens = (!tokens.is_empty()).then(|| format!("{}{} tokens", at_least(usage), tokens.join(" + ")));
    let parts = [
        Some(model.to_owned()),
        tokens,
        context.map(str::to_owned),
        Some(words::duration(elapsed)),
        speed,
        cost,
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    paint(DIM, parts.join(" · "))
}

/// Returns the words before a number of tokens: `at least `, if some tokens were not reported.
pub(crate) const fn at_least(usage: &Usage) -> &'static str {
    if usage.are_tokens_partial { "at least " } else { "" }
}

/// Formats a cost and its accuracy.
pub(crate) fn money(Cost { usd, quality, .. }: Cost) -> String {
    match quality {
        CostQuality::Known => words::dollars(usd),
        CostQuality::Estimated => format!("about {}", words::dollars(usd)),
        CostQuality::Partial => format!("at least {}", words::dollars(usd)),
    }
}

impl Session {
    /// Returns the usage so far, in words.
    pub(crate) fn used(&self) -> String {
        let usage = &self.dialogue.usage;
        let tokens = usage.tokens();
        let tokens = tokens.map(|tokens| format!("{}{}", at_least(usage), words::count(tokens, "token")));
        let cost = usage.cost.map(money);
        let parts: Vec<_> = tokens.into_iter().chain(cost).collect();
        if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") }
    }
}

/// Formats tenths, truncated like durations.
fn tenths(number: f64) -> String {
    format!("{:.1}", (number * 10.0).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use loop_core::Usd;

    use super::*;
    use crate::test_cases;

    fn line(usage: Usage, context: Option<&str>, ms: u64) -> String {
        let output = serde_json::json!({ "text": "", "rounds": 1, "usage": usage });
        let output: TurnOutput = serde_json::from_value(output).unwrap();
        words::plain(&statistics("m", &output, context, Duration::from_millis(ms), true)).into_owned()
    }

    #[test]
    fn the_numbers_are_those_that_people_know() {
        let [(_, with_tokens), (_, without)] = test_cases::of("statLine").try_into().unwrap();
        let shown = line(Usage::unknown().with_tokens(1840, 312), Some("context 44%"), 18_400);
        assert_eq!(
            shown,
            "m · 312 reply + 1,840 read tokens · context 44% · 18.4s · 16.9 tok/s · cost unknown"
        );
        for part in ["m", "312 reply", "44%", "18.4s", "16.9 tok"] {
            assert!(with_tokens.as_str().unwrap().contains(part) && shown.contains(part), "{part}");
        }
        assert_eq!(without, "  m · 1.234s");
        assert_eq!(line(Usage::unknown(), None, 1234), "m · 1.2s");
    }

    #[test]
    fn how_well_a_cost_is_known_is_said() {
        let cost = |cost| line(Usage::unknown().with_tokens(1, 1).with_cost(cost), None, 1000);
        assert!(cost(Cost::known(Usd::dollars(2))).ends_with("· $2.00"));
        assert!(cost(Cost::estimated(Usd::dollars(2))).ends_with("· about $2.00"));
    }
}
