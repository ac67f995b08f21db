//! Judges an agent's work by the confidence that the agent reports.

use std::{borrow::Cow, fmt, ops::Range};

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict};
use serde::{
    Deserialize as _, Deserializer as _,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;

use super::OutputText;
use crate::output::json_objects;

/// The key that a [`ConfidenceEvaluator`] reads by default.
pub const DEFAULT_CONFIDENCE_KEY: &str = "confidence";

/// How many bytes at an output's end are searched: an agent that should end with an object does not write on for pages.
const END_BYTES: usize = 64 * 1024;

/// An evaluator that trusts an agent's own confidence: it passes if the agent reports that it is sure enough.
///
/// The agent should end with a JSON object that has a number from 0 to 1 under a key. The confidence counts only if:
///
/// - the object is the last one of the output, with nothing but a closing fence after it,
/// - the object contains the key once, with such a number,
/// - the object is not inside another object or a list,
/// - the agent did not fail, by its exit code or with a cut reply.
///
/// Otherwise the verdict is inconclusive and gives the reason. The evaluator never makes up a number.
///
/// A confidence is a claim and not a check. It separates work that an agent believes to be finished from work that it
/// knows to be unfinished. If a command can check the work, run the command.
///
/// # Default
/// The key [`DEFAULT_CONFIDENCE_KEY`].
///
/// ```
/// use std::sync::Arc;
/// use loop_agents::judge::ConfidenceEvaluator;
/// use loop_core::{EvaluationContext, Evaluator, Outcome, Work};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut sure = ConfidenceEvaluator::at_least(0.9)?;
/// for (said, expected) in [
///     (r#"Done. {"confidence": 0.9}"#, Outcome::Pass),
///     (r#"Done. {"confidence": 0.4}"#, Outcome::Fail),
///     (r#"{"confidence": 1} {"answer": 42}"#, Outcome::Inconclusive),
///     (r#"[{"confidence": 1}]"#, Outcome::Inconclusive),
///     ("{\"confidence\": 1}\nError: a test fails", Outcome::Inconclusive),
///     ("I am very sure.", Outcome::Inconclusive),
/// ] {
///     let cx = EvaluationContext::new(&Work::new(), 1, Arc::new(said.to_owned()));
///     assert_eq!(sure.evaluate(cx).await?.outcome(), expected);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ConfidenceEvaluator {
    key: String,
    threshold: f64,
}

/// A threshold that is not a number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{0} is not a confidence: write a number from 0 to 1")]
pub struct ThresholdError(pub(crate) f64);

impl ConfidenceEvaluator {
    /// Creates an evaluator that passes from this confidence on, inclusive.
    ///
    /// # Errors
    /// Fails if the threshold is not a number from 0 to 1.
    pub fn at_least(threshold: f64) -> Result<Self, ThresholdError> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(ThresholdError(threshold));
        }
        Ok(Self { key: DEFAULT_CONFIDENCE_KEY.to_owned(), threshold })
    }

    /// Sets the key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// Judges the confidence that a text reports.
    ///
    /// ```
    /// use loop_agents::judge::ConfidenceEvaluator;
    /// let verdict = ConfidenceEvaluator::at_least(0.5)?.judge(r#"{"confidence": 0.25}"#);
    /// assert_eq!((verdict.passed(), verdict.score()), (false, Some(0.25)));
    /// # Ok::<(), loop_agents::judge::ThresholdError>(())
    /// ```
    pub fn judge(&self, text: &str) -> Verdict {
        let Self { key, threshold } = self;
        match confidence(text, key) {
            Ok((said, _)) if said >= *threshold => {
                Verdict::pass().with_score(said).with_text(format!("{key} {said}, and {threshold} is enough"))
            }
            Ok((said, _)) => {
                let text = format!("{key} {said}, and at least {threshold} is needed");
                Verdict::fail().with_score(said).with_feedback(text.clone()).with_text(text)
            }
            Err(why) => {
                let text = format!(
                    "the output does not state its {key}: {why}; it must end with an object such as \
                     {{\"{key}\": 0.8}}, with a number from 0 to 1"
                );
                Verdict::inconclusive().with_feedback(text.clone()).with_text(text)
            }
        }
    }
}

#[async_trait]
impl<O: OutputText> Evaluator<O> for ConfidenceEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        if let Some(failure) = cx.output().failure() {
            let text = format!("the agent {failure}, so its {} does not count", self.key);
            return Ok(Verdict::inconclusive().with_feedback(text.clone()).with_text(text));
        }
        Ok(self.judge(&cx.output().last_words(END_BYTES)))
    }
}

/// Returns the number under this key of the last object, and the place of that object. The error says why the text has
/// no such number.
pub(crate) fn confidence(text: &str, key: &str) -> Result<(f64, Range<usize>), String> {
    let place = json_objects::last(text).map_err(|why| why.to_string())?;
    let (object, behind) = (&text[place.clone()], text[place.end..].trim());
    if !behind.trim_matches('`').is_empty() && !behind.trim_matches('~').is_empty() {
        return Err("text follows its last JSON object".to_owned());
    }
    let found = serde_json::Deserializer::from_str(object).deserialize_map(Under(key));
    let mut found = found.map_err(|error| error.to_string())?;
    match (found.pop(), found.len()) {
        (None, _) => Err(format!("its last JSON object has no `{key}`")),
        (Some(value), 0) => value
            .as_f64()
            .filter(|number| (0.0..=1.0).contains(number))
            .map(|number| (number, place))
            .ok_or_else(|| format!("`{key}` is {}, which is not a number from 0 to 1", shown(&value))),
        (Some(_), more) => Err(format!("its last JSON object has `{key}` {} times", more + 1)),
    }
}

/// Formats a value for a message, and keeps the message short.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 40 => "a text".to_owned(),
        value => value.to_string(),
    }
}

/// Collects all values under one key of an object, because a parser that keeps only one of them would choose silently.
struct Under<'a>(&'a str);

impl<'de> Visitor<'de> for Under<'_> {
    type Value = Vec<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Value>, A::Error> {
        let mut found = Vec::new();
        while let Some(is_it) = map.next_key_seed(Is(self.0))? {
            if is_it {
                found.push(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Compares a key with this one.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        let key = Cow::<str>::deserialize(deserializer)?;
        Ok(key == self.0)
    }
}
