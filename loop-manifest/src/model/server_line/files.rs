//! The models that lie as files in `~/Models`, and the names that the user's settings give to models.

use std::path::{Path, PathBuf};

use loop_agents::servers::{EndedServer, ModelFile, ServerCommand, ServerKind, model_files};

use super::{ServerLineError, run};
use crate::{
    context::ExecutionContext,
    settings::{KeepError, NewTable, Settings, drop_tables, keep_tables},
};

fn folder(cx: &ExecutionContext) -> PathBuf {
    PathBuf::from(cx.variable("HOME").unwrap_or_default()).join("Models")
}

fn found(folder: &Path) -> Result<Vec<ModelFile>, ServerLineError> {
    model_files(folder).map_err(|source| ServerLineError::Files { path: folder.to_owned(), source })
}

pub(super) fn list(cx: &ExecutionContext) -> Result<String, ServerLineError> {
    let (path, line) = (folder(cx), |file: &ModelFile| {
        format!("{}  {} MB  ({})", file.name, file.bytes / 1_000_000, file.file)
    });
    let files = found(&path)?;
    Ok(match files.is_empty() {
        true => format!("`{}` has no `*.llamafile` and no `*.gguf`", path.display()),
        false => files.iter().map(line).collect::<Vec<_>>().join("\n"),
    })
}

/// Returns the file of the user's settings.
fn file(settings: &Settings) -> Result<&Path, KeepError> {
    settings.user.path.as_deref().ok_or(KeepError::NoFile)
}

/// Adds a server for a file, and a model with the same name.
pub(super) fn add(
    named: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<String, ServerLineError> {
    let path = Path::new(named);
    let in_folder = path.parent().filter(|folder| folder.is_absolute());
    let is_named = |file: &ModelFile| {
        file.name == named || Some(file.file.as_str()) == path.file_name().and_then(|name| name.to_str())
    };
    let listed = found(in_folder.unwrap_or(&folder(cx)))?;
    let unknown = || ServerLineError::NoModelFile(named.to_owned());
    let model = listed.into_iter().find(is_named).ok_or_else(unknown)?;
    let command =
        in_folder.map_or(model.file.clone(), |folder| folder.join(&model.file).display().to_string());
    let is_safe = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    let is_one = command.chars().all(is_safe)
        && matches!(ServerCommand::new(&*command)?.kind(), ServerKind::Llamafile | ServerKind::LlamaCpp);
    if !is_one {
        return Err(unknown());
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let name = model.name.replace(|letter| !is_plain(letter), "-");
    let id = format!("openai:{name}");
    let tables = [
        NewTable { table: "servers", name: &name, values: &[("command", &command)] },
        NewTable { table: "models", name: &name, values: &[("model", &id), ("server", &name)] },
    ];
    keep(&tables, settings)?;
    Ok(format!("`{name}` is a model of your settings, and its server starts when you use it"))
}

/// Gives a model another name.
pub(super) fn alias(name: &str, model: &str, settings: &Settings) -> Result<String, ServerLineError> {
    keep(&[NewTable { table: "models", name, values: &[("model", model)] }], settings)?;
    Ok(format!("`{name}` is {model}"))
}

fn keep(tables: &[NewTable<'_>], settings: &Settings) -> Result<(), ServerLineError> {
    let own = &settings.user.tables;
    let is_taken = |new: &&NewTable<'_>| match new.table {
        "servers" => own.servers.contains_key(new.name),
        _ => own.models.contains_key(new.name),
    };
    if let Some(taken) = tables.iter().find(is_taken) {
        return Err(ServerLineError::Taken(format!("{}.{}", taken.table, taken.name)));
    }
    Ok(keep_tables(file(settings)?, tables)?)
}

/// Stops a server, and removes it and the model with the same name.
pub(super) async fn drop_named(
    name: &str,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<String, ServerLineError> {
    let own = &settings.user.tables;
    let users = own.models.iter().filter(|(model, of)| *model != name && of.server.as_deref() == Some(name));
    let models: Vec<_> = users.map(|(model, _)| format!("`[models.{model}]`")).collect();
    if !models.is_empty() {
        return Err(ServerLineError::Used { name: name.to_owned(), models });
    }
    if !own.servers.contains_key(name) && !own.models.contains_key(name) {
        return Err(ServerLineError::NothingToDrop(name.to_owned()));
    }
    let mut ended = EndedServer::None;
    if own.servers.contains_key(name) {
        ended = run::server(name, settings, cx)?.end().await.map_err(run::failed(name))?;
    }
    drop_tables(file(settings)?, &["servers", "models"], name)?;
    let stopped = if ended == EndedServer::Ended { " and stopped" } else { "" };
    Ok(format!("`{name}` is removed{stopped}"))
}
