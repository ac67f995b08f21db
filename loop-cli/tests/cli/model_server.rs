//! A scripted model server, and the command that uses it.

use std::process::Command;

use loop_testing::{Answer, RecordedRequest, ScriptedServer};
use tokio::runtime::Runtime;

use crate::support::{CommandResult, RunningCommand, Scenario};

/// The key that the server receives.
pub(crate) const KEY: &str = "not-to-be-shown-8237";

/// A server, which runs until it is dropped.
pub(crate) struct ModelServer {
    // Dropped before the runtime on which it runs.
    server: ScriptedServer,
    _runtime: Runtime,
}

impl ModelServer {
    pub(crate) fn new(script: impl IntoIterator<Item = Answer>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(ScriptedServer::start(script)).expect("a server");
        Self { server, _runtime: runtime }
    }

    /// Starts a server at an address that was free a moment ago.
    pub(crate) fn at(address: &str, script: impl IntoIterator<Item = Answer>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let address = address.parse().expect("an address");
        let server = runtime.block_on(ScriptedServer::start_at(address, script)).expect("a server");
        Self { server, _runtime: runtime }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Answers requests for this path, which asks for no reply, with this JSON.
    pub(crate) fn set_page(&self, path: &str, page: serde_json::Value) {
        self.server.set_page(path, page);
    }

    /// Returns the paths of all requests that asked for no reply.
    pub(crate) fn page_requests(&self) -> Vec<String> {
        self.server.page_requests()
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.server.requests()
    }

    /// Returns the command `loop` with these arguments, in a scenario in which this server provides `OpenAI`'s models.
    pub(crate) fn command(&self, scenario: &Scenario, args: &[&str]) -> Command {
        let mut command = scenario.loop_command(args);
        command.env("OPENAI_BASE_URL", self.url()).env("OPENAI_API_KEY", KEY);
        command
    }

    pub(crate) fn run(&self, scenario: &Scenario, args: &[&str]) -> CommandResult {
        RunningCommand::new(&mut self.command(scenario, args)).finish()
    }

    /// Runs `loop chat` with this prompt, to its end.
    pub(crate) fn chat(&self, scenario: &Scenario, prompt: &str, args: &[&str]) -> CommandResult {
        let chat = ["chat", "--model", "openai:scripted", "--prompt", prompt];
        self.run(scenario, &[&chat, args].concat())
    }
}
