//! Models over a wire: each vendor's protocol against a scripted server.

mod bounds;
mod faults;
mod figures;
mod oracle;
mod requests;
mod streams;

use loop_agents::chat::{
    ChatModel, Delta, Endpoint, GenaiModel, Message, ModelError, Reply, Request, SecretString, Vendor,
};
use loop_testing::{Answer, ScriptedServer};

/// All vendors. A test that iterates over them expects the same from each.
const VENDORS: [Vendor; 4] = [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini, Vendor::Ollama];

const KEY: &str = "sk-very-secret";

fn model(vendor: Vendor, server: &ScriptedServer) -> GenaiModel {
    let endpoint = Endpoint::new(vendor).base_url(server.url()).key(SecretString::from(KEY));
    GenaiModel::new(endpoint, "test-model").expect("a model")
}

async fn serve(script: impl IntoIterator<Item = Answer>) -> ScriptedServer {
    ScriptedServer::start(script).await.expect("a server")
}

async fn ask(model: &impl ChatModel) -> Result<Reply, ModelError> {
    ask_and_record(model, |_| {}).await
}

async fn ask_and_record(
    model: &impl ChatModel,
    mut hear: impl FnMut(Delta<'_>) + Send,
) -> Result<Reply, ModelError> {
    model.reply(Request::new(&[Message::user("Hello?")]), &mut hear).await
}
