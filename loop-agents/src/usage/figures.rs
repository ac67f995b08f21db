//! Validates the numbers of a report.
//!
//! A count that is negative, or larger than all models together write in a year, is a bug of its author. Using it would
//! end the run, or hide the real usage.

use loop_core::Usd;
use serde_json::Value;

use crate::output::beginning;

/// More tokens than this in one report are a bug.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// More money than this in one report is a bug.
const MAX_COST: Usd = Usd::dollars(1_000_000);

/// The reason for rejecting a number.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidFigure(pub(super) String);

/// The numbers of one JSON object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures<'a>(&'a Value);

impl<'a> Figures<'a> {
    pub(super) fn of(object: &'a Value) -> Self {
        Self(object)
    }

    /// Returns a number of tokens, or `None` if it is missing or null.
    pub(super) fn count(self, key: &str) -> Result<Option<u64>, InvalidFigure> {
        let Some(value) = self.given(key) else { return Ok(None) };
        match whole(value) {
            Some(count) if count <= MAX_TOKENS => Ok(Some(count)),
            Some(_) => Err(invalid_figure(key, value, &format!("more than {MAX_TOKENS} tokens"))),
            None => Err(invalid_figure(key, value, "not a number of tokens")),
        }
    }

    /// Returns an amount of dollars, or `None` if it is missing or null.
    pub(super) fn usd(self, key: &str) -> Result<Option<Usd>, InvalidFigure> {
        let Some(value) = self.given(key) else { return Ok(None) };
        let Some(number) = value.as_f64() else {
            return Err(invalid_figure(key, value, "not an amount of money"));
        };
        match Usd::try_from_f64(number) {
            Ok(usd) if usd <= MAX_COST => Ok(Some(usd)),
            _ if number > 0.0 => Err(invalid_figure(key, value, &format!("more than {MAX_COST}"))),
            _ => Err(invalid_figure(key, value, "less than zero")),
        }
    }

    fn given(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }
}

/// Returns a whole number. It also accepts the form `500000.0`, from writers that have only floating-point numbers.
fn whole(value: &Value) -> Option<u64> {
    let as_fraction =
        || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e18).contains(number));
    value.as_u64().or_else(|| as_fraction().map(|number| number as u64))
}

fn invalid_figure(key: &str, value: &Value, why: &str) -> InvalidFigure {
    InvalidFigure(format!("{key}: {} is {why}", shown(value)))
}

/// Returns the warning for a key that appears twice.
pub(super) fn twice(key: &str) -> String {
    format!("{} appears twice in one object, so neither value counts", shown(&Value::from(key)))
}

/// Returns the beginning of a value.
fn shown(value: &Value) -> String {
    beginning(&value.to_string(), 40)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_can_be_a_number_of_a_report_is_taken() {
        let object = json!({"tokens": 12, "fraction": 500_000.0, "cost": 0.25, "none": null});
        let figures = Figures::of(&object);
        assert_eq!(figures.count("fraction"), Ok(Some(500_000)));
        assert_eq!(figures.count("tokens"), Ok(Some(12)));
        assert_eq!(figures.usd("cost"), Ok(Some(Usd::micros(250_000))));
        for missing in ["none", "other"] {
            assert_eq!((figures.count(missing), figures.usd(missing)), (Ok(None), Ok(None)));
        }
    }

    #[test]
    fn what_cannot_is_refused_by_name() {
        for bad in [json!(-5), json!(1.5), json!(1e300), json!(u64::MAX), json!("7"), json!([1]), json!({})] {
            let object = json!({ "it": bad });
            let Err(InvalidFigure(why)) = Figures::of(&object).count("it") else { panic!("{object}") };
            assert!(why.starts_with("it: "), "{why}");
        }
        for bad in [json!(-0.01), json!(1e300), json!(2e6), json!("0.5"), json!([1]), json!("x".repeat(9999))]
        {
            let object = json!({ "it": bad });
            let Err(InvalidFigure(why)) = Figures::of(&object).usd("it") else { panic!("{object}") };
            assert!(why.starts_with("it: ") && why.len() < 200, "{why}");
        }
    }
}
