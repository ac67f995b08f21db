//! How sure an agent says it is.

use std::{borrow::Cow, fmt};

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict};
use serde::{
    Deserialize as _, Deserializer as _,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;

use super::Words;
use crate::output::objects;

/// The key under which a [`ConfidenceEvaluator`] looks, unless it is given another.
pub const DEFAULT_CONFIDENCE_KEY: &str = "confidence";

/// So much of an output's end is looked at: whoever is asked to end with an object does not write on for pages.
const END_BYTES: usize = 64 * 1024;

/// An evaluator that takes an agent at its word: it passes if the agent says that it is sure enough.
///
/// The agent is to end with a JSON object that has a number from 0 to 1 under a key. Only the last object of the
/// output counts, and only if nothing but a closing fence stands behind it, and the key stands in it once, with such a
/// number. Of an agent that failed, by its exit code or a reply that was cut, nothing counts. An object within another one or within a
/// list is a part of something and says nothing of its own. Else the verdict is inconclusive, and says why: no number
/// is made up for an agent that gave none.
///
/// A confidence is a claim and no check. It tells apart what an agent thinks is done from what it knows is not;
/// where something can be run, run it.
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

/// A threshold that is no number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a confidence is a number from 0 to 1, and {0} is none")]
pub struct ThresholdError(f64);

impl ConfidenceEvaluator {
    /// Passes from this confidence on, itself included.
    ///
    /// # Errors
    /// What is not a number from 0 to 1.
    pub fn at_least(threshold: f64) -> Result<Self, ThresholdError> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(ThresholdError(threshold));
        }
        Ok(Self { key: DEFAULT_CONFIDENCE_KEY.to_owned(), threshold })
    }

    /// Looks under this key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// What a text says of its own confidence, judged.
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
            Ok(said) if said >= *threshold => {
                Verdict::pass().with_score(said).with_text(format!("{key} {said}, and {threshold} is enough"))
            }
            Ok(said) => {
                let text = format!("{key} {said}, and at least {threshold} is needed");
                Verdict::fail().with_score(said).with_feedback(text.clone()).with_text(text)
            }
            Err(why) => {
                let text = format!(
                    "the output does not say its {key}: {why}; it has to end with an object such as \
                     {{\"{key}\": 0.8}}, with a number from 0 to 1"
                );
                Verdict::inconclusive().with_feedback(text.clone()).with_text(text)
            }
        }
    }
}

#[async_trait]
impl<O: Words> Evaluator<O> for ConfidenceEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        if let Some(failure) = cx.output().failure() {
            let text = format!("the agent {failure}, so its {} does not count", self.key);
            return Ok(Verdict::inconclusive().with_feedback(text.clone()).with_text(text));
        }
        Ok(self.judge(&cx.output().last_words(END_BYTES)))
    }
}

/// The number under this key of the last object.
fn confidence(text: &str, key: &str) -> Result<f64, String> {
    let object = objects::last(text).map_err(|why| why.to_string())?;
    let behind = text.rsplit_once(object).map_or("", |(_, behind)| behind).trim();
    if !behind.trim_matches('`').is_empty() && !behind.trim_matches('~').is_empty() {
        return Err("something stands behind its last JSON object".to_owned());
    }
    let found = serde_json::Deserializer::from_str(object).deserialize_map(Under(key));
    let mut found = found.map_err(|error| error.to_string())?;
    match (found.pop(), found.len()) {
        (None, _) => Err(format!("its last JSON object has no `{key}`")),
        (Some(value), 0) => value
            .as_f64()
            .filter(|number| (0.0..=1.0).contains(number))
            .ok_or_else(|| format!("`{key}` is {}, which is no number from 0 to 1", shown(&value))),
        (Some(_), more) => Err(format!("its last JSON object has `{key}` {} times", more + 1)),
    }
}

/// A value in a message, which must not be made long by it.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 40 => "a text".to_owned(),
        value => value.to_string(),
    }
}

/// All values that stand under one key of an object: a parser that kept one of them would choose.
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

/// Whether a key is this one.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        let key = Cow::<str>::deserialize(deserializer)?;
        Ok(key == self.0)
    }
}
