//! Checks and replaces the numbers of tool calls in a stream of `OpenAI`'s protocol.
//!
//! The `genai` crate allocates as many calls as the highest number requires, so a call with the number four billion would
//! exhaust the memory. It also fills each gap below a number with copies of that call. So the calls get the numbers 0, 1,
//! 2, ... in the order in which they begin.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    super::Vendor,
    reply_bounds::{CrossedBound, MAX_CALLS},
};

/// The numbers of the calls of one stream.
#[derive(Debug)]
pub(super) struct CallNumbers {
    vendor: Vendor,
    /// The numbers that the server uses, in the order in which the calls begin.
    begun: Vec<u64>,
}

impl CallNumbers {
    pub(super) const fn of(vendor: Vendor) -> Self {
        Self { vendor, begun: Vec::new() }
    }

    /// Returns whole events with calls that are numbered without gaps. Refuses a number that is too high, or is no number:
    /// the `genai` crate would leave that call out.
    pub(super) fn without_gaps<'e>(&mut self, events: &'e [u8]) -> Result<Cow<'e, [u8]>, CrossedBound> {
        if !matches!(self.vendor, Vendor::OpenAi) {
            return Ok(Cow::Borrowed(events));
        }
        let text = String::from_utf8_lossy(events).replace("\r\n", "\n").replace('\r', "\n");
        let mut has_gap = false;
        let mut renumbered = Vec::new();
        for event in text.split("\n\n") {
            let event = self.renumbered(event)?.map_or(Cow::Borrowed(event), |event| {
                has_gap = true;
                Cow::Owned(event)
            });
            renumbered.push(event);
        }
        Ok(if has_gap { Cow::Owned(renumbered.join("\n\n").into_bytes()) } else { Cow::Borrowed(events) })
    }

    /// Returns the event with other numbers, if it needs them. Like the `genai` crate, it joins the event's lines of data.
    fn renumbered(&mut self, event: &str) -> Result<Option<String>, CrossedBound> {
        let of_data = |line: &str| line.trim().strip_prefix("data:").map(|data| data.trim().to_owned());
        let data = event.lines().filter_map(of_data).collect::<Vec<_>>().join("\n");
        // An event without the key has no calls. The `genai` crate refuses invalid JSON itself.
        if !data.contains("index") && !data.contains('\\') {
            return Ok(None);
        }
        let mut data: Value = serde_json::from_str(&data).unwrap_or_default();
        let calls = data.pointer_mut("/choices/0/delta/tool_calls").and_then(Value::as_array_mut);
        let mut is_changed = false;
        for number in calls.into_iter().flatten().filter_map(|call| call.get_mut("index")) {
            if number.is_null() {
                continue;
            }
            let given = number.as_u64().filter(|given| *given < MAX_CALLS as u64);
            let given = given.ok_or(CrossedBound::Calls)?;
            let place = self.begun.iter().position(|begun| *begun == given).unwrap_or_else(|| {
                self.begun.push(given);
                self.begun.len() - 1
            });
            is_changed |= place as u64 != given;
            *number = Value::from(place);
        }
        let others = event.lines().filter(|line| of_data(line).is_none()).map(|line| format!("{line}\n"));
        Ok(is_changed.then(|| format!("{}data: {data}", others.collect::<String>())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_bound_is_refused_however_it_is_written() {
        let event = |index: &str| {
            format!(
                "data: {{\"choices\":[{{\"delta\":\r\ndata: {{\"tool_calls\":[{{{index}}}]}}}}]}}\r\n\r\n"
            )
        };
        for (index, is_fine) in [
            ("\"index\":0", true),
            ("\"index\":999", true),
            ("\"index\":1000", false),
            ("\"index\":4294967295", false),
            ("\"inde\\u0078\":4294967295", false),
            ("\"index\":-1", false),
            ("\"index\":\"0\"", false),
            ("\"index\":null", true),
        ] {
            let events = format!("data: [DONE]\n\n: hello\n\n{}", event(index));
            let checked = |vendor| CallNumbers::of(vendor).without_gaps(events.as_bytes()).is_ok();
            assert_eq!(checked(Vendor::OpenAi), is_fine, "{index}");
            assert!(checked(Vendor::Anthropic));
        }
    }

    #[test]
    fn calls_are_numbered_in_the_order_in_which_they_begin() {
        let event = |number: u64| {
            format!(
                "id: 1\ndata: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{number}}}]}}}}]}}\n\n"
            )
        };
        let events = |numbers: &[u64]| numbers.iter().map(|number| event(*number)).collect::<String>();
        let mut numbers = CallNumbers::of(Vendor::OpenAi);
        let mut renumbered = |numbers_before: &[u64]| {
            let events = events(numbers_before);
            String::from_utf8(numbers.without_gaps(events.as_bytes()).unwrap().into_owned()).unwrap()
        };
        assert_eq!(renumbered(&[3, 1]), events(&[0, 1]));
        assert_eq!(renumbered(&[2, 0, 3, 1]), events(&[2, 3, 0, 1]));
        let plain = events(&[0, 1, 0]);
        let mut numbers = CallNumbers::of(Vendor::OpenAi);
        assert!(matches!(numbers.without_gaps(plain.as_bytes()), Ok(Cow::Borrowed(_))));
    }
}
