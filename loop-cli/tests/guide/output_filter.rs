//! The parts of output that any two runs of a command share.

use regex::Regex;
use snapbox::{Assert, IntoData};

use crate::shell::ID;

/// Removes the parts that differ from run to run.
pub(crate) struct OutputFilter(Vec<(Regex, &'static str)>);

impl OutputFilter {
    pub(crate) fn new() -> Self {
        let rules = [
            (r"\b[0-9a-f]{64}\b", "[digest]"),
            (ID, "[id]"),
            (r"\b((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{4}-\d\d-\d\d", "[date]"),
            (r"(T|\b)\d\d:\d\d(:\d\d(\.\d+)?)?Z?( \+00:00)?", " [time] "),
            (r"\b(\d+(\.\d+)?(ms|s|m|h)\b ?)+", " [time] "),
            (r#"("\w+_seconds":)[0-9.]+"#, "${1}[seconds]"),
            // The widths of columns depend on their content.
            (r" +", " "),
            (r" +\n", "\n"),
        ];
        let rule = |(pattern, text)| (Regex::new(pattern).expect("a pattern"), text);
        Self(rules.map(rule).into())
    }

    fn of(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (rule, with)| rule.replace_all(&text, *with).into_owned())
    }

    /// Returns the difference, if there is one. A line of only `...` in the page matches any lines.
    pub(crate) fn difference(&self, printed: &str, shown: &str) -> Option<String> {
        // A page cannot show whether the last line has an end.
        let (printed, shown) = (printed.trim_end(), shown.trim_end());
        let (printed, shown) = (self.of(printed).into_data(), self.of(shown).into_data());
        Assert::new().try_eq(None, printed, shown).err().map(|error| error.to_string())
    }
}

#[test]
fn times_and_ids_are_no_difference_and_words_are() {
    let output_filter = OutputFilter::new();
    let shown = "run 0198b2aa in 14ms   ok\n...\nlast\n";
    assert_eq!(output_filter.difference("run 0198c3bb in 1m 2s ok\na\nb\nlast\n", shown), None);
    assert!(output_filter.difference("run 0198c3bb in 1m 2s failed\nlast\n", shown).is_some());
}
