//! The settings and the models that several parts of a plan need.

use loop_agents::usage::Prices;

use super::error::ComposeError;
use crate::{context::ExecutionContext, model::Model, names::ModelName, settings::Settings};

/// The settings of the context.
pub(super) fn settings(cx: &ExecutionContext) -> Result<&Settings, ComposeError> {
    cx.settings().map_err(|findings| ComposeError::Settings(findings.clone()))
}

/// The model with this name, which the manifest's `key` names, at these prices.
pub(super) fn priced_model(
    key: &str,
    name: &ModelName,
    prices: Option<&Prices>,
    cx: &ExecutionContext,
) -> Result<Model, ComposeError> {
    let model =
        Model::choose(Some(name.as_str()), settings(cx)?, cx.variables()).map_err(ComposeError::part(key))?;
    let model = model.learn(cx, false);
    Ok(match prices {
        Some(prices) => model.prices(prices.clone()),
        None => model,
    })
}
