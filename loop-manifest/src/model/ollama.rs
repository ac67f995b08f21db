//! The reason why an Ollama has no model.

use loop_agents::chat::Vendor;

use super::{blocking, error::ModelChoiceError, vendor::VendorAccess};

/// Returns the error that no server has a model.
pub(super) fn none(access: VendorAccess) -> ModelChoiceError {
    let address = access.base_url.clone().unwrap_or_else(|| Vendor::Ollama.default_url().to_owned());
    match blocking::ask(access.endpoint(Vendor::Ollama).models()) {
        Err(error) => ModelChoiceError::Runtime(error),
        Ok(Some(Ok(_))) => ModelChoiceError::NoneNamed {
            why: format!("the Ollama server at {address} has none (`ollama pull qwen3` downloads one)"),
        },
        Ok(_) => ModelChoiceError::NoneNamed { why: format!("no Ollama server answers at {address}") },
    }
}
