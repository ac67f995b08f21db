//! Models over a wire: each dialect against a server that says what it is told to.

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

/// All vendors; each test that goes through them says the same of each.
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
    ask_hearing(model, |_| {}).await
}

async fn ask_hearing(
    model: &impl ChatModel,
    mut hear: impl FnMut(Delta<'_>) + Send,
) -> Result<Reply, ModelError> {
    model.reply(Request::new(&[Message::user("Hello?")]), &mut hear).await
}
