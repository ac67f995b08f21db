//! Fuzzes prompts: templates that are filled once, and command lines that take the result as one word.
//!
//! The input before the first NUL is the template, and the rest is the value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loop_agents::shell::{CommandLine, Placeholder, Template, PromptValues};

fuzz_target!(|input: &str| {
    let (text, value) = input.split_once('\0').unwrap_or((input, ""));
    let values = PromptValues {
        goal: value.into(),
        prior_output: value.into(),
        evaluator_output: value.into(),
        ..PromptValues::default()
    };
    let template = Template::new(text);
    assert_eq!(template.render(&values), filled(text, value));
    for unknown in template.unknown() {
        assert!(text[unknown.offset + 1..].starts_with(&unknown.name));
    }

    let prompt = template.render(&values);
    if let Ok(line) = CommandLine::parse("agent -p {prompt}")
        && let Ok(call) = line.with_prompt(prompt.clone())
    {
        assert_eq!(shlex::split(&call.line), Some(vec!["agent".into(), "-p".into(), prompt.clone()]));
    }
    if let Ok(line) = CommandLine::parse(text)
        && let Ok(call) = line.with_prompt(value)
    {
        assert_eq!(call.input.is_empty(), line.takes_prompt() || value.is_empty());
    }
});

/// Fills a template the slow way, by looking for a name at each position.
fn filled(text: &str, value: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    'text: while let Some(first) = rest.chars().next() {
        for placeholder in Placeholder::ALL {
            let name = format!("{{{}}}", placeholder.name());
            if let Some(after) = rest.strip_prefix(&name) {
                filled.push_str(match placeholder {
                    Placeholder::Goal | Placeholder::PriorOutput | Placeholder::EvaluatorOutput => value,
                    Placeholder::Iteration => "0",
                    Placeholder::SecondsLeft | Placeholder::BudgetUsdLeft => "unlimited",
                    _ => "",
                });
                rest = after;
                continue 'text;
            }
        }
        filled.push(first);
        rest = &rest[first.len_utf8()..];
    }
    filled
}
