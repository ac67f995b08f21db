//! A job's action, as arguments of this program and in words.

use std::time::Duration;

use loop_manifest::kebab_case;
use loop_schedule::{Job, JobAction};

use crate::view::{secrets, text};

/// Returns the arguments with which this program carries out an action. The run ends by itself, asks nobody, and prints
/// its record last. A run of a prompt has the [`name`] of its job.
pub(crate) fn arguments(action: &JobAction, job: &Job) -> Vec<String> {
    let prompt = &job.prompt;
    match action {
        JobAction::Manifest { path } => words(&["run", "--non-interactive", "--json", "--", path]),
        JobAction::Agent { command, max_seconds } => {
            let time = format!("{max_seconds}s");
            // Without a check, the agent's exit is the only result of a prompt.
            let loop_of_one = ["run", "--quiet", "--json", "--max", "1", "--check", "true", "--max-time"];
            let mut words = words(&loop_of_one);
            words.extend([time, format!("--agent={command}"), format!("--goal={prompt}")]);
            words.extend(["--prompt={goal}".to_owned(), format!("--set=name={}", name(job))]);
            words
        }
        JobAction::Model { model, max_seconds } => {
            let mut words = words(&["every", "1s", "--count", "1", "--quiet", "--json", "--for"]);
            words.extend([format!("{max_seconds}s"), format!("--name={}", name(job))]);
            words.extend(model.iter().map(|model| format!("--model={model}")));
            // No flag begins with a space.
            let escape = if prompt.starts_with('-') { " " } else { "" };
            words.push(format!("{escape}{prompt}"));
            words
        }
    }
}

/// The maximum length of a job's name, in bytes.
const NAME_BYTES: usize = 40;

/// Returns the name of a job: the first words of its prompt. A prompt without usable words is named by its id.
pub(crate) fn name(job: &Job) -> String {
    let words = kebab_case(&secrets().redact(&job.prompt));
    let fits = |end: &usize| *end <= NAME_BYTES;
    let ends = words.match_indices('-').map(|(end, _)| end).chain([words.len()]);
    // A single long word is cut.
    let end = ends.take_while(fits).last().unwrap_or_else(|| words.len().min(NAME_BYTES));
    if end == 0 { format!("job-{}", job.id) } else { words[..end].to_owned() }
}

/// Returns whether an action is a single prompt. People then want to see the reply, and not the usual reports of a run.
pub(crate) const fn is_prompt(action: &JobAction) -> bool {
    !matches!(action, JobAction::Manifest { .. })
}

/// Describes an action for people: `agent claude -p, for 1h 00m at most`.
pub(crate) fn describe(action: &JobAction) -> String {
    match action {
        JobAction::Manifest { path } => format!("manifest {path}"),
        JobAction::Agent { command, max_seconds } => {
            format!("agent {command}, for {} at most", time(*max_seconds))
        }
        JobAction::Model { model: Some(model), max_seconds } => {
            format!("model {model}, for {} at most", time(*max_seconds))
        }
        JobAction::Model { model: None, max_seconds } => {
            format!("the model of the settings, for {} at most", time(*max_seconds))
        }
    }
}

fn time(seconds: u64) -> String {
    text::duration(Duration::from_secs(seconds))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use loop_schedule::{JobId, Trigger, jiff::Timestamp};

    use super::*;

    #[test]
    fn a_job_is_named_by_the_first_words_of_its_prompt() {
        for (prompt, expected) in [
            ("Look at the build!", "look-at-the-build"),
            ("summarise what has changed in the last night", "summarise-what-has-changed-in-the-last"),
            (&"x".repeat(50), &"x".repeat(40)),
            ("你好", "job-00000007"),
        ] {
            let trigger = Trigger::At { time: Timestamp::UNIX_EPOCH };
            let job = Job::new(JobId::from_bits(7), trigger, prompt, Timestamp::UNIX_EPOCH);
            assert_eq!(name(&job), expected);
        }
    }
}
