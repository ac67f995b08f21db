//! A scripted model server, and the command that asks it.

use std::process::Command;

use loop_testing::{Answer, Recorded, ScriptedServer};
use tokio::runtime::Runtime;

use crate::support::{Ran, Started, World};

/// The key that the server is sent.
pub(crate) const KEY: &str = "not-to-be-shown-8237";

/// A server, until it is dropped.
pub(crate) struct Server {
    // Before the runtime on which it runs.
    server: ScriptedServer,
    _runtime: Runtime,
}

impl Server {
    pub(crate) fn new(script: impl IntoIterator<Item = Answer>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(ScriptedServer::start(script)).expect("a server");
        Self { server, _runtime: runtime }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.server.requests()
    }

    /// `loop` with these arguments, in a world in which `OpenAI`'s models are this server's.
    pub(crate) fn command(&self, world: &World, args: &[&str]) -> Command {
        let mut command = world.loop_command(args);
        command.env("OPENAI_BASE_URL", self.url()).env("OPENAI_API_KEY", KEY);
        command
    }

    pub(crate) fn run(&self, world: &World, args: &[&str]) -> Ran {
        Started::new(&mut self.command(world, args)).finish()
    }

    /// `loop chat` with this prompt, to its end.
    pub(crate) fn chat(&self, world: &World, prompt: &str, args: &[&str]) -> Ran {
        let chat = ["chat", "--model", "openai:scripted", "--prompt", prompt];
        self.run(world, &[&chat, args].concat())
    }
}
