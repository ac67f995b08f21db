//! Estimates the cost of tokens for agents that do not report it.

use std::{cmp::Reverse, collections::BTreeMap, fmt, sync::Arc};

use loop_core::{Cost, Usd};
use serde::{
    Deserialize, Deserializer,
    de::{self, Error as _, MapAccess, Visitor},
};
use serde_json::Value;

use super::TokenCounts;

/// List prices of models, to estimate what tokens cost.
///
/// [`bundled`](Self::bundled) contains the public list prices of the common models of three vendors at its
/// [`date`](Self::date). List prices change, and your prices may differ: the table knows no contracts, no batch
/// discounts, and no higher prices for long contexts or fast answers. So a computed cost is marked as an estimate. You
/// can replace the table with [`from_json`](Self::from_json):
///
/// ```
/// use loop_agents::usage::{Prices, TokenCounts};
///
/// let prices = Prices::from_json(
///     r#"{"date": "2026-11-01", "usd_per_million_tokens": {
///         "my-model": {"input": 2, "cached_input": 0.2, "cache_write": 2.5, "output": 8}
///     }}"#,
/// )?;
/// let tokens = TokenCounts { fresh: Some(1_000), output: Some(500), ..TokenCounts::default() };
/// let cost = prices.estimate("my-model-2026-10-20", &tokens).ok_or("no price")?;
/// assert_eq!(cost.usd.to_string(), "$0.006");
/// assert_eq!(prices.estimate("another-model", &tokens), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Prices are in dollars per million tokens. `cached_input` and `cache_write` default to the price of `input`. For
/// cached input that is too high, which is the safer side for a budget.
///
/// # Names
/// A model has the price of the longest name in the table that its own name begins with, up to the end of a word:
/// `gpt-5-mini-2025-08-07` is a `gpt-5-mini`, but `gpt-5.1` is not a `gpt-5`. The part before a `/` is ignored
/// (`anthropic/claude-haiku-4-5`). A model without a price has no estimate.
#[derive(Debug, Clone)]
pub struct Prices(Arc<Table>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    date: String,
    #[serde(deserialize_with = "each_once")]
    usd_per_million_tokens: BTreeMap<String, Price>,
}

/// Reads a map without duplicate names, because we cannot know which of two prices is meant.
fn each_once<'de, D: Deserializer<'de>>(prices: D) -> Result<BTreeMap<String, Price>, D::Error> {
    struct EachOnce;

    impl<'de> Visitor<'de> for EachOnce {
        type Value = BTreeMap<String, Price>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("models with their prices")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut prices = BTreeMap::new();
            while let Some((model, price)) = entries.next_entry::<String, Price>()? {
                if prices.insert(model.clone(), price).is_some() {
                    return Err(de::Error::custom(format_args!("the model `{model}` has two prices")));
                }
            }
            Ok(prices)
        }
    }

    prices.deserialize_map(EachOnce)
}

/// A million dollars per million tokens. A higher price is a mistake.
const MAX_PRICE: f64 = 1e6;

/// The price of a million tokens of a model, in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    output: f64,
}

/// An invalid price table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PricesError {
    /// The text is not JSON, or not a price table.
    #[error("cannot read the price table; see `Prices::from_json` for its format")]
    Format(#[from] serde_json::Error),
    /// A price is invalid.
    #[error(
        "the price table has {price} dollars for a million tokens, as `{kind}` of `{model}`: a price must be a \
         number from 0 to {MAX_PRICE}"
    )]
    Price {
        /// The model's name in the table.
        model: String,
        /// The kind of token, which is the price's key.
        kind: &'static str,
        /// The invalid price.
        price: f64,
    },
}

impl Prices {
    /// Returns the table that comes with this crate.
    ///
    /// # Panics
    /// Never panics: the tests read the same file.
    pub fn bundled() -> Self {
        Self::from_json(include_str!("prices.json")).expect("the bundled price table is one")
    }

    /// Reads your own table, which replaces the bundled one. A byte-order mark before it is ignored.
    ///
    /// # Errors
    /// Fails if the text is not such a table, if a model appears twice, or if a price is negative or more than a
    /// million dollars.
    pub fn from_json(text: &str) -> Result<Self, PricesError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: Table = serde_json::from_str(text)?;
        // A derived reader would also accept a list of the values in their order, which nobody would recognise as a
        // price table.
        let written: Value = serde_json::from_str(text)?;
        let prices = written.get("usd_per_million_tokens").and_then(Value::as_object);
        if !prices.is_some_and(|prices| prices.values().all(Value::is_object)) {
            return Err(serde_json::Error::custom("a table and its prices are objects with keys").into());
        }
        for (model, price) in &table.usd_per_million_tokens {
            let all = [
                ("input", Some(price.input)),
                ("cached_input", price.cached_input),
                ("cache_write", price.cache_write),
                ("output", Some(price.output)),
            ];
            let mut all = all.into_iter().filter_map(|(kind, price)| Some((kind, price?)));
            if let Some((kind, price)) = all.find(|(_, price)| !(0.0..=MAX_PRICE).contains(price)) {
                return Err(PricesError::Price { model: model.clone(), kind, price });
            }
        }
        Ok(Self(Arc::new(table)))
    }

    /// Returns the table's date, when its prices were looked up.
    pub fn date(&self) -> &str {
        &self.0.date
    }

    /// Returns true if the table has no price at all.
    pub fn is_empty(&self) -> bool {
        self.0.usd_per_million_tokens.is_empty()
    }

    /// Returns the cost of these tokens of this model from the list. Returns `None` if the model has no price, or if no
    /// count is known.
    ///
    /// If the number of fresh tokens or of output tokens is missing, the cost is a [lower bound](Cost::at_least),
    /// unless such tokens cost nothing. The other counts may be missing, because agents without a cache leave them out.
    pub fn estimate(&self, model: &str, tokens: &TokenCounts) -> Option<Cost> {
        let price = self.price(model)?;
        if *tokens == TokenCounts::default() {
            return None;
        }
        let is_partial = [(tokens.fresh, price.input), (tokens.output, price.output)]
            .iter()
            .any(|(count, price)| count.is_none() && *price > 0.0);
        let parts = [
            (tokens.fresh, price.input),
            (tokens.cached, price.cached_input.unwrap_or(price.input)),
            (tokens.cache_written, price.cache_write.unwrap_or(price.input)),
            (tokens.output, price.output),
        ];
        let products =
            parts.iter().map(|(count, price)| u128::from(count.unwrap_or(0)) * per_million(*price));
        let nanos = products.sum::<u128>().div_ceil(1_000_000);
        // An amount too large for `Usd` exceeds any budget.
        let usd = u64::try_from(nanos).map_or(Usd::MAX, Usd::nanos);
        Some(if is_partial { Cost::at_least(usd) } else { Cost::estimated(usd) })
    }

    /// Returns true if all prices of this model are known to be zero.
    pub(crate) fn is_free(&self, model: &str) -> bool {
        let is_free = |price: &Price| {
            let beside = [price.cached_input, price.cache_write].into_iter().flatten();
            beside.chain([price.input, price.output]).all(|price| price == 0.0)
        };
        self.price(model).is_some_and(is_free)
    }

    /// Returns true if the list has a price for this model.
    ///
    /// ```
    /// assert!(!loop_agents::usage::Prices::bundled().has("another-model"));
    /// ```
    pub fn has(&self, model: &str) -> bool {
        self.price(model).is_some()
    }

    fn price(&self, model: &str) -> Option<&Price> {
        let model = model.rsplit('/').next().unwrap_or(model);
        let fits = |name: &str| {
            model
                .strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.'))
        };
        let fitting = self.0.usd_per_million_tokens.iter().filter(|(name, _)| fits(name));
        fitting.min_by_key(|(name, _)| Reverse(name.len())).map(|(_, price)| price)
    }
}

impl Default for Prices {
    /// Returns the bundled prices.
    fn default() -> Self {
        Self::bundled()
    }
}

/// Returns a price in nano-dollars per million tokens, rounded up. With whole numbers, the parts of a cost add up
/// exactly, and we round the cost only once.
fn per_million(price: f64) -> u128 {
    Usd::try_from_f64(price).map_or(u128::from(u64::MAX), |usd| usd.as_nanos().into())
}

#[cfg(test)]
mod tests {
    use loop_core::{CostQuality, with_causes};

    use super::*;

    fn million(model: &str) -> Option<String> {
        let tokens = TokenCounts { fresh: Some(1_000_000), ..TokenCounts::default() };
        Prices::bundled().estimate(model, &tokens).map(|cost| cost.usd.to_string())
    }

    #[test]
    fn the_longest_name_that_fits_counts_and_ends_with_a_word() {
        for (model, expected) in [
            ("gpt-5", "$1.25"),
            ("gpt-5-mini", "$0.25"),
            ("gpt-5-mini-2025-08-07", "$0.25"),
            ("claude-opus-4-8[1m]", "$5.00"),
            ("claude-opus-4-1-20250805", "$15.00"),
            ("anthropic/claude-haiku-4-5", "$1.00"),
            ("models/gemini-2.5-flash", "$0.30"),
        ] {
            assert_eq!(million(model).as_deref(), Some(expected), "{model}");
        }
        for unknown in ["gpt-5.99", "gpt-55", "claude-opus-4-80", "mock-1", "", "/"] {
            assert_eq!(million(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let tokens =
            TokenCounts { fresh: Some(500), cached: Some(1800), cache_written: Some(200), output: Some(48) };
        let cost = Prices::bundled().estimate("claude-opus-4-8", &tokens);
        assert_eq!(cost, Some(Cost::estimated(Usd::micros(5850))));
        assert_eq!(Prices::bundled().estimate("claude-opus-4-8", &TokenCounts::default()), None);
    }

    #[test]
    fn tokens_that_nobody_counted_make_a_lower_bound_unless_they_are_free() {
        let table = |input: u8, output: u8| {
            let price = format!(r#"{{"input":{input},"output":{output}}}"#);
            Prices::from_json(&format!(r#"{{"date":"","usd_per_million_tokens":{{"m":{price}}}}}"#)).unwrap()
        };
        let quality = |prices: &Prices, fresh, output| {
            let tokens = TokenCounts { fresh, output, cached: Some(1), ..TokenCounts::default() };
            prices.estimate("m", &tokens).unwrap().quality
        };
        assert_eq!(quality(&table(1, 1), Some(1), None), CostQuality::Partial);
        assert_eq!(quality(&table(1, 1), None, Some(1)), CostQuality::Partial);
        assert_eq!(quality(&table(1, 1), Some(0), Some(0)), CostQuality::Estimated);
        assert_eq!(quality(&table(1, 0), Some(1), None), CostQuality::Estimated);
        assert_eq!(quality(&table(0, 1), None, Some(1)), CostQuality::Estimated);
        assert_eq!([table(0, 0), table(0, 1)].map(|prices| prices.is_free("m")), [true, false]);
    }

    #[test]
    fn a_cost_below_a_micro_dollar_is_not_lost() {
        let table = r#"{"date":"","usd_per_million_tokens":{"m":{"input":0.05,"output":0.0001}}}"#;
        let prices = Prices::from_json(table).unwrap();
        let cost = |fresh, output| {
            let tokens = TokenCounts { fresh: Some(fresh), output: Some(output), ..TokenCounts::default() };
            prices.estimate("m", &tokens).unwrap().usd
        };
        assert_eq!(cost(0, 0), Usd::ZERO);
        assert_eq!(cost(1, 0), Usd::nanos(50));
        assert_eq!(cost(0, 1), Usd::nanos(1));
        assert_eq!(cost(1, 1), Usd::nanos(51));
        assert_eq!(cost(1_000_000, 1_000_000), Usd::nanos(50_100_000));
        assert_eq!(cost(u64::MAX, u64::MAX), Usd::MAX);
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_its_reason() {
        let table = |price: &str| format!(r#"{{"date":"","usd_per_million_tokens":{{"m":{{{price}}}}}}}"#);
        assert!(Prices::from_json(&table(r#""input":1,"output":2"#)).is_ok());
        assert!(Prices::from_json(&format!("\u{feff}{}", table(r#""input":1,"output":2"#))).is_ok());
        let twice =
            r#"{"date":"","usd_per_million_tokens":{"m":{"input":1,"output":1},"m":{"input":0,"output":0}}}"#;
        let twice = Prices::from_json(twice).map_err(|error| with_causes(&error)).unwrap_err();
        assert!(twice.contains("the model `m` has two prices"), "{twice}");
        for list in [
            r#"["2026-11-01", {"m": {"input": 1, "output": 2}}]"#,
            r#"{"date": "2026-11-01", "usd_per_million_tokens": {"m": [1, null, null, 2]}}"#,
        ] {
            let error = Prices::from_json(list).map_err(|error| with_causes(&error)).unwrap_err();
            assert!(error.contains("objects with keys"), "{error}");
        }
        let negative = Prices::from_json(&table(r#""input":1,"output":-2"#)).unwrap_err().to_string();
        assert!(negative.contains("-2 dollars") && negative.contains("`output` of `m`"), "{negative}");
        let huge = Prices::from_json(&table(r#""input":1,"output":2,"cache_write":1e7"#)).unwrap_err();
        assert!(huge.to_string().contains("`cache_write` of `m`"), "{huge}");
        for bad in ["", "[]", "{}", &table(""), &table(r#""input":1,"output":2,"ouput":3"#)] {
            assert!(matches!(Prices::from_json(bad), Err(PricesError::Format(_))), "{bad}");
        }
    }
}
