//! The model that is there although nobody named one.

use std::{ffi::OsString, io};

use loop_agents::chat::{Endpoint, Vendor};

use super::{
    blocking,
    error::ModelChoiceError,
    vendor::{VendorAccess, value},
};
use crate::names::VendorModel;

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

/// The models that a server has; `None` if it does not answer in time.
fn listed(endpoint: &Endpoint) -> io::Result<Option<Vec<String>>> {
    Ok(blocking::ask(endpoint.models())?.and_then(Result::ok))
}

/// Returns the models of an Ollama; none if none answers.
pub async fn of_ollama(variables: &[(OsString, OsString)]) -> Vec<String> {
    let access = VendorAccess::of(Vendor::Ollama, |name| value(variables, name));
    access.endpoint(Vendor::Ollama).models().await.unwrap_or_default()
}
