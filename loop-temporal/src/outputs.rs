//! Long outputs stay on their worker.

use loop_agents::output::excerpt;
use loop_core::StepRecord;
use serde_json::Value;

use crate::{StepKind, Work, step_of::change_texts};

/// The longest value that travels whole, in bytes of JSON. The server refuses 2 MB, and stores each value several times.
const LONGEST_VALUE: usize = 64 * 1024;

/// The bytes that a text in a longer value keeps, half of them at its end.
const LONGEST_TEXT: usize = 8 * 1024;

/// The last output of a run, if it is too long for the server.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Option<(u64, Value)>);

impl Outputs {
    /// Shortens the texts of an output, and keeps the whole output for the next steps of this worker.
    pub(crate) fn shorten(&mut self, iteration: u64, output: &mut Value) {
        self.0 = is_long(output).then(|| (iteration, output.clone()));
        shorten(output);
    }

    /// Puts the whole output into the work that reads it. After a restart of the worker, it reads the shortened one.
    pub(crate) fn restore(&self, work: &mut Work) {
        let of = match work.kind {
            StepKind::Evaluate => Some(work.iteration),
            StepKind::Iterate => work.previous.as_ref().map(StepRecord::iteration),
        };
        if let (Some((iteration, whole)), Some(output)) = (&self.0, &mut work.output)
            && of == Some(*iteration)
        {
            output.clone_from(whole);
        }
    }
}

/// Shortens the texts of a value that is too long.
pub(crate) fn shorten(value: &mut Value) {
    if is_long(value) {
        change_texts(value, &|text: &str| excerpt(text.as_bytes(), LONGEST_TEXT));
    }
}

fn is_long(value: &Value) -> bool {
    value.to_string().len() > LONGEST_VALUE
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_long_value_is_shortened_and_its_whole_comes_back() {
        let mut outputs = Outputs::default();
        let short = json!({"a": "é".repeat(10_000)});
        let mut value = short.clone();
        outputs.shorten(1, &mut value);
        assert_eq!(value, short);

        let long = json!({"a": ["x", "é".repeat(100_000)], "b": 7});
        let mut value = long.clone();
        outputs.shorten(2, &mut value);
        assert!(value.to_string().len() < 10_000);
        assert_eq!((&value["a"][0], &value["b"]), (&json!("x"), &json!(7)));
        let work = |kind, iteration| Work {
            kind,
            iteration,
            attempt: 1,
            left: crate::Left::default(),
            guidance: None,
            previous: None,
            has_previous_output: false,
            output: Some(value.clone()),
        };
        let mut check = work(StepKind::Evaluate, 2);
        outputs.restore(&mut check);
        assert_eq!(check.output, Some(long));
        let mut other = work(StepKind::Evaluate, 3);
        outputs.restore(&mut other);
        assert_eq!(other.output, Some(value.clone()));
    }
}
