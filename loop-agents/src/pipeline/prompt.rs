//! The prompts of a pipeline.

use super::PipelineFile;
use crate::shell::PromptMemory;

/// The request at the end of each prompt.
const STATE: &str = "End your reply with this JSON object: {\"confidence\": N, \"reason\": \"...\"}. N is a number from \
                     0 to 1: how confident you are that the reply is correct and complete. The reason is one sentence.";

/// The question after a reply that states no confidence.
const ASK: &str = "How confident are you that your reply is correct and complete? Answer with this JSON object and nothing \
                   else: {\"confidence\": N, \"reason\": \"...\"}. N is a number from 0 to 1.";

/// The prompt of a step: the reply to the file before, a line, and this file, with what earlier work taught.
pub(super) fn step(
    file: &PipelineFile,
    input: &str,
    earlier: Option<&str>,
    memory: Option<&PromptMemory>,
) -> String {
    let recalled = PromptMemory::recalled_for(memory, file.text(), earlier.unwrap_or_default());
    let text = file.text().replace(PromptMemory::MARK, recalled.trim_end());
    let input = if input.is_empty() { String::new() } else { format!("{input}\n\n---\n\n") };
    let earlier = earlier.map(|why| format!("An earlier reply to this was not confident enough: {why}\n\n"));
    format!("{input}{}{}\n\n{STATE}", earlier.unwrap_or_default(), text.trim_end())
}

/// The question for a score. An agent that cannot continue its conversation gets the conversation.
pub(super) fn ask(conversation: Option<(&str, &str)>) -> String {
    match conversation {
        None => ASK.to_owned(),
        Some((prompt, reply)) => {
            format!("{prompt}\n\n---\n\nThis was your reply:\n\n{reply}\n\n---\n\n{ASK}")
        }
    }
}
