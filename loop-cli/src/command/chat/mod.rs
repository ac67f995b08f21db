//! `loop chat`: one prompt, one reply.

mod continued;
mod final_reply;
mod piped_prompt;
mod turn_report;

use loop_manifest::{
    ExecutionContext,
    model::{ConversationOptions, Model},
    settings::Settings,
};
use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
    time::Instant,
};

use loop_agents::chat::{Chat, TurnOutput};

pub(super) use self::turn_report::show;
use self::{final_reply::FinalReply, piped_prompt::StdinKind, turn_report::TurnReport};
use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, new_run_id, report_choice, settings},
    rag::PromptDocuments,
    usage,
};
use crate::{
    args::{ChatArgs, ConversationArgs},
    exit, session,
    signals::Signals,
    view::{self, ReplyWriter},
};
use loop_manifest::settings::read_bounded;

pub(crate) fn exec(args: &ChatArgs) -> Result<ExitCode, Failure> {
    let piped = StdinKind::detect();
    let is_continued = args.resume.is_some() && args.prompt.is_none();
    if is_continued || args.no_record || args.prompt.is_none() && piped == StdinKind::Terminal {
        return talk(args);
    }
    let dir = dir(args.cwd.as_deref())?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let cx = execution_context(dir, new_run_id())?;
    let supervisor = cx.supervisor().clone();
    let done = block_on(async {
        let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
        tokio::select! {
            answered = reply(args, piped, settings, cx) => answered.map(|()| ExitCode::from(exit::OK)),
            // Dropping the turn also ends everything that it started.
            signal = signals.next() => Ok(ExitCode::from(exit::of_signal(signal))),
        }
    });
    supervisor.end();
    done
}

/// Returns whether a session can be held here.
pub(super) fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Answers the prompt, in a stored session if one is named.
async fn reply(
    args: &ChatArgs,
    piped: StdinKind,
    settings: Settings,
    cx: ExecutionContext,
) -> Result<(), Failure> {
    let conversation = requested_conversation(&args.chat)?;
    if let Some(wanted) = &args.resume {
        let prompt = piped_prompt::read_prompt(args.prompt.as_deref(), piped).await?;
        return continued::answer(wanted, &prompt, conversation, settings, cx).await;
    }
    let (model, mut chat) = conversation.begin(&settings, &cx)?;
    report_choice(&model);
    let prompt = piped_prompt::read_prompt(args.prompt.as_deref(), piped).await?;
    chat.set_context(PromptDocuments::new(&model, args.cwd.as_deref()).find(&prompt).await);
    answer(args, prompt, &model, &mut chat).await
}

/// Runs a session at the terminal.
fn talk(args: &ChatArgs) -> Result<ExitCode, Failure> {
    if args.json || !has_terminal() {
        return Err(usage!(
            "a session needs a terminal: for a single answer, write `--prompt TEXT` or pipe the prompt in"
        ));
    }
    let conversation = requested_conversation(&args.chat)?;
    let options = session::SessionOptions {
        resumed: args.resume.as_deref(),
        is_recorded: !args.no_record,
        is_verbose: args.verbose,
    };
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let cx = execution_context(dir(args.cwd.as_deref())?, new_run_id())?;
    hold(settings, cx, conversation, options)
}

/// Continues the session with this id at the terminal.
pub(super) fn resume(id: &str, settings: Settings, cx: ExecutionContext) -> Result<ExitCode, Failure> {
    let options = session::SessionOptions { resumed: Some(id), is_recorded: true, is_verbose: false };
    hold(settings, cx, ConversationOptions::default(), options)
}

fn hold(
    settings: Settings,
    cx: ExecutionContext,
    conversation: ConversationOptions,
    options: session::SessionOptions<'_>,
) -> Result<ExitCode, Failure> {
    let supervisor = cx.supervisor().clone();
    let done = block_on(session::run(conversation, settings, cx, options));
    supervisor.end();
    done
}

/// Builds the requested conversation.
pub(super) fn requested_conversation(args: &ConversationArgs) -> Result<ConversationOptions, Failure> {
    let system = args.system.as_deref().map(text_of).transpose()?;
    let (model, allow) = (args.model.clone(), args.allow.clone());
    Ok(ConversationOptions { model, system, tools: args.asked_tools(), allow })
}

/// Reads a file with a system prompt.
fn text_of(path: &Path) -> Result<String, Failure> {
    let text = read_bounded(path).map_err(anyhow::Error::new).and_then(|bytes| Ok(String::from_utf8(bytes)?));
    text.or_usage(|| format!("cannot read --system {}", path.display()))
}

/// Runs the turn, and prints the reply.
async fn answer(args: &ChatArgs, prompt: String, model: &Model, chat: &mut Chat) -> Result<(), Failure> {
    let began = Instant::now();
    if args.json {
        let mut report = TurnReport::of(model);
        let output = chat.turn(prompt).on_event(|event| report.on_event(event)).run().await?;
        view::print_json_or_warn(&report.json(&output, began.elapsed()));
        return Ok(());
    }
    let reply = ReplyWriter::new();
    let mut shown = FinalReply::new(reply.sender(), model.tools_in_use(), io::stdout().is_terminal());
    let done = chat.turn(prompt).on_event(|event| shown.show(event)).run().await;
    shown.end_reply(done.is_ok());
    drop(shown);
    reply.end().await;
    warn_of_shortcomings(&done?);
    Ok(())
}

/// Warns about a reply that is incomplete.
fn warn_of_shortcomings(output: &TurnOutput) {
    if output.out_of_rounds {
        view::warning(
            "the model used up its rounds of calls, and this is its reply so far: raise `rounds` under `[chat]` in your \
             settings",
        );
    }
    if output.truncated {
        view::warning("the reply was cut off at its token limit");
    }
}
