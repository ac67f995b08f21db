//! The listeners to an agent: for its usage, its text and its tool calls.

use std::sync::Arc;

use loop_agents::{
    chat::{ChatAgent, Delta, TurnEvent},
    process::OutputStream,
    shell::ShellAgent,
};

use crate::{
    context::{ExecutionContext, OutputSink},
    plan::UsagePlan,
};

/// The agent with a reader of what it prints, if anything of that is usage.
pub(super) fn read_usage(agent: ShellAgent, usage: &UsagePlan, cx: &ExecutionContext) -> ShellAgent {
    if usage.format.flags().is_none() {
        return agent;
    }
    agent.usage_reader(usage.reader()).on_note(cx.usage_notes())
}

/// Attaches the listeners to an agent.
pub(super) fn observe_command_output(agent: ShellAgent, cx: &ExecutionContext) -> ShellAgent {
    let Some(sink) = cx.sink() else { return agent };
    let raw = Arc::clone(&sink);
    agent
        .on_output(move |_, bytes| sink.text(bytes))
        .on_raw_output(move |stream, bytes| raw.raw(stream, bytes))
}

/// Attaches the listeners to a model: for its text and its tool calls.
pub(crate) fn observe_model_output(agent: ChatAgent, cx: &ExecutionContext) -> ChatAgent {
    let (sink, listener) = (cx.sink(), cx.turn_listener());
    if sink.is_none() && listener.is_none() {
        return agent;
    }
    agent.on_event(move |event| {
        if let Some(listener) = &listener {
            listener(event);
        }
        if let Some(sink) = &sink {
            forward_event(&**sink, event);
        }
    })
}

fn forward_event(sink: &dyn OutputSink, event: TurnEvent<'_>) {
    let said = match event {
        TurnEvent::Delta(Delta::Text(text)) => text.to_owned(),
        TurnEvent::Delta(Delta::Restarted) => {
            sink.broke_off();
            "\n(the reply broke off and starts again)\n".to_owned()
        }
        TurnEvent::Delta(Delta::Retrying(why)) => format!("\n({why}; asked again)\n"),
        TurnEvent::Delta(Delta::SmallerWindow(smaller)) => format!("\n({smaller})\n"),
        TurnEvent::Calling(call) => format!("\n[{}] {}\n", call.name, call.arguments),
        _ => return,
    };
    sink.text(said.as_bytes());
    sink.raw(OutputStream::Stdout, said.as_bytes());
}
