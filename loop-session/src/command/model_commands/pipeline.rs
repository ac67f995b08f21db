//! `/pipeline`: answers prompts in files, one after the other.

use async_trait::async_trait;
use loop_agents::{
    chat::{ChatAgent, Message},
    pipeline::{
        ConfidenceGate, MAX_FILES, MAX_RETRIES, Percent, PipelineEvaluator, PipelineExecution, PipelineFile,
        PipelineOutput,
    },
    review::ChatWorker,
};
use loop_core::{JudgedStep, Loop, condition_fn, evaluator_passed, with_causes};
use loop_knowledge::recall::UNKNOWN_WINDOW_TOKENS;
use loop_manifest::model::{ChatSetup, Model};
use loop_telemetry::transcript::{ConversationChange, TranscriptEntry};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct PipelineCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "pipeline",
    aliases: &[],
    arguments: "PERCENT FILE... [--retries N] [--accept-guess]",
    summary: "Answer prompts in files, each with the reply to the one before",
    help: "The first prompt also gets the conversation. Each reply has to state how confident the model is, and the first \
           one below PERCENT ends the pipeline. Then the conversation stays as it was. Otherwise the prompts and the last \
           reply join it. In a file, `@NAME` at the beginning of a line names its model. No step has tools.",
    argument_kind: ArgumentKind::Paths,
};

/// The arguments.
struct Request {
    gate: ConfidenceGate,
    retries: u64,
    files: Vec<String>,
}

#[async_trait]
impl Command for PipelineCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let Request { gate, retries, files } = request(&INFO.words(arguments)?)?;
        let Some(model) = &session.dialogue.model else { return Err(InputError::NoModel) };
        let name = model.id().to_owned();
        let files: Result<Vec<_>, _> =
            files.iter().map(|path| PipelineFile::read(&session.tools.workspace, path)).collect();
        let files = files.map_err(|error| InputError::refused(with_causes(&error)))?;
        let memory = session.context.execution.memory(UNKNOWN_WINDOW_TOKENS);
        let mut pipeline = PipelineExecution::new(gate).memory(memory);
        for (index, file) in files.iter().enumerate() {
            pipeline = pipeline.then(file.clone(), worker(file, index == 0, session)?);
        }
        let is_last = condition_fn(|step: &JudgedStep<PipelineOutput>, _| {
            step.output().is_some_and(PipelineOutput::is_last)
        });
        let steps = Loop::new(pipeline)
            .evaluate(PipelineEvaluator::new(gate))
            .until(evaluator_passed().and(is_last))
            .at_most((files.len() as u64).saturating_mul(retries.saturating_add(1)));
        let report = session.run_steps("answering files", steps).await?;
        let words = report.output().map(|output| output.words.clone()).unwrap_or_default();
        session.say(&session.host().printable(&words));
        let prompts: Vec<_> = files.iter().map(PipelineFile::text).collect();
        add_exchange(session, Message::user(prompts.join("\n\n")), words, name);
        Ok(())
    }
}

/// Parses the arguments.
fn request(words: &[String]) -> Result<Request, InputError> {
    let mut words = words.iter();
    let percent = words.next().ok_or_else(|| INFO.misused("the percentage is missing"))?;
    let percent = percent.parse::<Percent>().map_err(|error| INFO.misused(error))?;
    let (mut files, mut retries, mut accept_guess) = (Vec::new(), 0, false);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--accept-guess" => accept_guess = true,
            "--retries" => {
                let number = words.next().and_then(|number| number.parse().ok());
                let number = number.filter(|number| *number <= MAX_RETRIES);
                let wrong = || INFO.misused(format!("--retries takes a number from 0 to {MAX_RETRIES}"));
                retries = number.ok_or_else(wrong)?;
            }
            option if option.starts_with("--") => {
                return Err(INFO.misused(format!("there is no option {option}")));
            }
            file => files.push(file.to_owned()),
        }
    }
    if !(1..=MAX_FILES).contains(&files.len()) {
        return Err(INFO.misused(format!("name 1 to {MAX_FILES} files")));
    }
    let gate = ConfidenceGate::at_least(percent.share()).map_err(|error| INFO.misused(error))?;
    Ok(Request { gate: gate.accept_guess(accept_guess).retries(retries), retries, files })
}

/// Makes the agent that answers a file. The first one also gets the conversation.
fn worker(file: &PipelineFile, is_first: bool, session: &Session) -> Result<ChatWorker, InputError> {
    let named = file.model().map(|name| session.choose(name)).transpose().map_err(|error| {
        InputError::refused(format!(
            "{} names a model that cannot answer: {}",
            file.path(),
            with_causes(&error)
        ))
    })?;
    let model: &Model = match (&named, &session.dialogue.model) {
        (Some(model), _) | (None, Some(model)) => model,
        (None, None) => return Err(InputError::NoModel),
    };
    let (settings, execution) = (&session.context.settings, &session.context.execution);
    let system = session.dialogue.system.clone();
    let setup =
        ChatSetup::new(settings, execution).system(system).with_project_prompt().tools(Some(Vec::new()));
    let chat = model.chat(&setup).map_err(|error| InputError::refused(with_causes(&error)))?;
    Ok(ChatWorker::new(ChatAgent::new(match is_first {
        true => chat.with_history(session.dialogue.chat.history().clone()),
        false => chat,
    })))
}

/// Adds the prompts and the last reply to the conversation.
fn add_exchange(session: &mut Session, prompt: Message, reply: String, model: String) {
    let before = session.dialogue.chat.history().messages().to_vec();
    session.log.write(TranscriptEntry::Asked { prompt: prompt.clone(), model: model.clone() });
    let mut history = session.dialogue.chat.history().clone();
    history.push(prompt);
    history.push(Message::assistant(reply));
    session.dialogue.chat.set_history(history);
    let change = ConversationChange::between(&before, session.dialogue.chat.history().messages());
    // The usage of all steps is counted already.
    session.log.write(TranscriptEntry::Answered { change, usage: loop_core::Usage::unknown(), model });
    session.dialogue.turns += 1;
}
