//! Starts, stops and shows servers.

use std::sync::Arc;

use loop_agents::{
    chat::{Endpoint, Vendor},
    servers::{EndedServer, ManagedServer, ServerError},
};
use loop_guardrails::policy::environment::looks_secret;

use super::ServerLineError;
use crate::{
    context::ExecutionContext,
    model::{
        blocking::PATIENCE,
        vendor::{VendorAccess, value},
    },
    settings::Settings,
};

/// Returns the user's Ollama.
pub(super) fn ollama(cx: &ExecutionContext) -> Endpoint {
    VendorAccess::of(Vendor::Ollama, |name| value(cx.variables(), name)).endpoint(Vendor::Ollama)
}

pub(super) fn server(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<Arc<ManagedServer>, ServerLineError> {
    let command = settings.user.tables.servers.get(name);
    let command = command.ok_or_else(|| ServerLineError::NoServer(name.to_owned()))?;
    Ok(cx.server(name, command, |server| server))
}

pub(super) fn failed(name: &str) -> impl FnOnce(ServerError) -> ServerLineError + use<'_> {
    |source| ServerLineError::Managed { name: name.to_owned(), source }
}

pub(super) async fn start(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<String, ServerLineError> {
    let place = server(name, settings, cx)?.place().await.map_err(failed(name))?;
    Ok(format!("`{name}` answers at 127.0.0.1:{}", place.port))
}

pub(super) async fn stop(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<String, ServerLineError> {
    Ok(match server(name, settings, cx)?.end().await.map_err(failed(name))? {
        EndedServer::Ended => format!("`{name}` is stopped"),
        EndedServer::InUse => format!("another `loop` has started `{name}`, which ends with that one"),
        EndedServer::None => format!("no `{name}` runs that `loop` has started"),
    })
}

pub(super) fn logs(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<String, ServerLineError> {
    let lines = server(name, settings, cx)?.last_lines().map_err(failed(name))?;
    Ok(match lines {
        Some(lines) => cx.redactor().redact(&lines).into_owned(),
        None => format!("`loop` has not started `{name}` yet"),
    })
}

pub(super) async fn status(settings: &Settings, cx: &ExecutionContext) -> String {
    let mut lines = Vec::new();
    for (name, command) in &settings.user.tables.servers {
        let found = cx.server(name, command, |server| server).found().await;
        let state = found.map_or_else(
            || "does not run".to_owned(),
            |noted| format!("answers at 127.0.0.1:{}", noted.port),
        );
        lines.push(format!("{name}  {state}  ({command})"));
    }
    let ollama = ollama(cx);
    let state = match tokio::time::timeout(PATIENCE, ollama.models()).await {
        Ok(Ok(_)) => "answers at",
        _ => "does not answer at",
    };
    lines.push(format!("Ollama  {state} {}", ollama.shown_address()));
    lines.join("\n")
}

pub(super) fn env(cx: &ExecutionContext) -> String {
    let redactor = cx.redactor();
    let of_ollama = cx.variables().iter().filter(|(name, _)| name.to_string_lossy().starts_with("OLLAMA_"));
    let lines: Vec<_> = of_ollama
        .map(|(name, value)| match looks_secret(name, value) {
            true => format!("{}=(hidden)", name.to_string_lossy()),
            false => format!("{}={}", name.to_string_lossy(), redactor.redact(&value.to_string_lossy())),
        })
        .collect();
    if lines.is_empty() { "no variable begins with OLLAMA_".to_owned() } else { lines.join("\n") }
}
