//! The model that is there although nobody named one.

use std::{ffi::OsString, io, thread, time::Duration};

use loop_agents::chat::{Endpoint, Vendor};

use super::{
    error::ModelChoiceError,
    vendor::{VendorAccess, value},
};
use crate::names::VendorModel;

/// A server on this machine answers immediately, or does not exist.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first model of an Ollama, if it answers.
pub(super) fn first(access: VendorAccess) -> Result<VendorModel, ModelChoiceError> {
    let address = access.base_url.clone().unwrap_or_else(|| Vendor::Ollama.default_url().to_owned());
    let none = |why: String| ModelChoiceError::NoneNamed { why };
    let listed = listed(&access.endpoint(Vendor::Ollama)).map_err(ModelChoiceError::Runtime)?;
    let models = listed.ok_or_else(|| none(format!("no Ollama server answers at {address}")))?;
    let id = models.into_iter().next().ok_or_else(|| {
        none(format!("the Ollama server at {address} has none (`ollama pull qwen3` downloads one)"))
    })?;
    Ok(VendorModel { vendor: Vendor::Ollama, id })
}

/// The models that a server has; `None` if it does not answer in time. A thread of its own waits for the answer, since
/// the caller may be on an executor, on which nothing may block for it.
fn listed(endpoint: &Endpoint) -> io::Result<Option<Vec<String>>> {
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = runtime.block_on(async { tokio::time::timeout(PATIENCE, endpoint.models()).await });
        Ok(answer.ok().and_then(Result::ok))
    };
    thread::scope(|scope| scope.spawn(ask).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that asks Ollama panicked")))
}

/// Returns the models of an Ollama; none if none answers.
pub async fn of_ollama(variables: &[(OsString, OsString)]) -> Vec<String> {
    let access = VendorAccess::of(Vendor::Ollama, |name| value(variables, name));
    access.endpoint(Vendor::Ollama).models().await.unwrap_or_default()
}
