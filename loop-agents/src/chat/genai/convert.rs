//! Converts our conversation to the types of the `genai` crate, and its calls to ours.

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, MessageContent, ReasoningEffort, Tool,
    ToolCall as TheirCall, ToolChoice, ToolResponse,
};
use serde_json::{Value, json};

use super::super::{AnsweredCall, Attachment, Message, Request, ToolCall, Vendor};

/// Converts the request, and names its tools if the model may call them.
pub(super) fn request(vendor: Vendor, request: &Request<'_>) -> ChatRequest {
    let messages: Vec<_> = request.messages.iter().flat_map(|said| message(vendor, said)).collect();
    let mut converted = ChatRequest::new(messages);
    if let Some(system) = request.system {
        converted = converted.with_system(system);
    }
    if !request.tools.is_empty() && (request.may_call || names_tools_always(vendor)) {
        let tool = |tool: &crate::tools::ToolDefinition| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(tool.parameters.clone())
        };
        converted = converted.with_tools(request.tools.iter().map(tool).collect::<Vec<_>>());
    }
    converted
}

/// Adds the parts of a request that the `genai` crate takes as options.
pub(super) fn options(vendor: Vendor, request: &Request<'_>, options: ChatOptions) -> ChatOptions {
    if !request.may_call && !request.tools.is_empty() && names_tools_always(vendor) {
        return options.with_tool_choice(ToolChoice::None);
    }
    options
}

/// Keeps a suffix such as `-high` in the model's name. The `genai` crate removes it from the name and treats it as a
/// reasoning effort, but on a private server it may be part of the name. The crate leaves the name alone if the request
/// sets another effort, and it sends no budget to servers of this kind.
pub(super) fn keeping_the_name(vendor: Vendor, options: ChatOptions) -> ChatOptions {
    match vendor {
        Vendor::OpenAi => options.with_reasoning_effort(ReasoningEffort::Budget(0)),
        _ => options,
    }
}

/// Anthropic refuses a conversation with calls if the request does not name the tools. The other vendors accept it, and
/// some of their servers cannot handle named but forbidden tools.
const fn names_tools_always(vendor: Vendor) -> bool {
    matches!(vendor, Vendor::Anthropic)
}

fn message(vendor: Vendor, message: &Message) -> Vec<ChatMessage> {
    match message {
        Message::User { text, attachments } if attachments.is_empty() => {
            vec![ChatMessage::user(text.as_str())]
        }
        Message::User { text, attachments } => {
            // Pictures come first, as some vendors advise.
            let pictures = attachments.iter().map(picture);
            let words = (!text.is_empty()).then(|| ContentPart::Text(text.clone()));
            vec![ChatMessage::user(MessageContent::from_parts(pictures.chain(words).collect::<Vec<_>>()))]
        }
        Message::Assistant { text, calls } => {
            let words = (!text.is_empty()).then(|| ContentPart::Text(text.clone()));
            let parts =
                words.into_iter().chain(calls.iter().map(|answered| ContentPart::ToolCall(call(answered))));
            let said = ChatMessage::assistant(MessageContent::from_parts(parts.collect::<Vec<_>>()));
            std::iter::once(said).chain(results(vendor, calls)).collect()
        }
    }
}

fn picture(attachment: &Attachment) -> ContentPart {
    let Attachment { media_type, name, .. } = attachment;
    ContentPart::from_binary_base64(media_type.as_str(), attachment.base64(), name.clone())
}

/// Converts the results of a message's calls. Ollama wants one message for each result; the others want all results of
/// one message together.
fn results(vendor: Vendor, calls: &[AnsweredCall]) -> Vec<ChatMessage> {
    let parts = calls.iter().map(|answered| {
        let id = answered.call.id.as_str();
        ContentPart::ToolResponse(
            ToolResponse::new(id, answered.result.as_str()).with_fn_name(&answered.call.name),
        )
    });
    let message = |parts: Vec<ContentPart>| ChatMessage::tool(MessageContent::from_parts(parts));
    match vendor {
        _ if calls.is_empty() => Vec::new(),
        Vendor::Ollama => parts.map(|part| message(vec![part])).collect(),
        _ => vec![message(parts.collect())],
    }
}

fn call(AnsweredCall { call, .. }: &AnsweredCall) -> TheirCall {
    TheirCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        // Vendors accept only objects as arguments. Anything else goes back to the model as unreadable.
        fn_arguments: match &call.arguments {
            object @ Value::Object(_) => object.clone(),
            other => json!({ "unreadable": other }),
        },
        thought_signatures: (!call.seals.is_empty()).then(|| call.seals.clone()),
    }
}

/// Converts a call of the model.
pub(super) fn made(call: TheirCall) -> ToolCall {
    let seals = call.thought_signatures.unwrap_or_default();
    ToolCall { seals, ..ToolCall::new(call.call_id, call.fn_name, call.fn_arguments) }
}
