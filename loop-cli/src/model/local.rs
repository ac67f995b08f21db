//! The model that is there although nobody named one.

use std::{ffi::OsString, time::Duration};

use anyhow::{Context, anyhow};
use loop_agents::chat::Vendor;
use loop_manifest::VendorModel;

use super::vendor::{Access, VARIABLE, value};

/// A server on this machine answers at once, or is not there.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first model of an Ollama, if it answers.
pub(super) fn first(access: Access) -> anyhow::Result<VendorModel> {
    let address = access.base_url.clone().unwrap_or_else(|| Vendor::Ollama.default_url().to_owned());
    let endpoint = access.endpoint(Vendor::Ollama);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("the asynchronous runtime could not be started")?;
    let listed = runtime.block_on(async { tokio::time::timeout(PATIENCE, endpoint.models()).await });
    let Ok(Ok(models)) = listed else { return Err(none(&format!("no Ollama answers at {address}"))) };
    let id = models
        .into_iter()
        .next()
        .ok_or_else(|| none(&format!("the Ollama at {address} has none (`ollama pull qwen3` gets one)")))?;
    Ok(VendorModel { vendor: Vendor::Ollama, id })
}

/// The models of an Ollama; none if none answers.
pub(crate) async fn of_ollama(variables: &[(OsString, OsString)]) -> Vec<String> {
    let access = Access::of(Vendor::Ollama, |name| value(variables, name));
    access.endpoint(Vendor::Ollama).models().await.unwrap_or_default()
}

fn none(why: &str) -> anyhow::Error {
    anyhow!(
        "no model is named, and {why}; name one in one of three ways:\n  \
         for once         --model claude-sonnet-4-5, or ollama:qwen3\n  \
         in a loop.toml   [chat]\n                   model = \"claude-sonnet-4-5\"\n  \
         in the shell     export {VARIABLE}=claude-sonnet-4-5\n  \
         a vendor's model needs its key as well: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"
    )
}
