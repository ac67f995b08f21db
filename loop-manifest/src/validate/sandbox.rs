//! The sandboxes of the agent and of the check.

use loop_agents::process::sandbox::{Enforcement, SandboxNetwork};

use super::{
    super::{
        diagnostics::{Diagnostic, Span},
        field::{FieldValue, SpannedText},
        raw_sandbox::RawSandbox,
        sandbox_plan::SandboxPlan,
    },
    words::word,
};

/// The words of `network`.
const NETWORKS: [(&str, SandboxNetwork); 2] = [("all", SandboxNetwork::All), ("none", SandboxNetwork::None)];

/// The words of `enforce`.
const ENFORCEMENTS: [(&str, Enforcement); 2] =
    [("require", Enforcement::Require), ("warn", Enforcement::Warn)];

/// A sandbox of which some keys are written.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialSandbox {
    write: Option<Vec<String>>,
    read: Option<Vec<String>>,
    network: Option<SandboxNetwork>,
    enforcement: Option<Enforcement>,
}

/// Returns the keys that `raw` has, `Some(None)` without a sandbox, and `None` if a key is wrong.
pub(super) fn partial(
    raw: Option<RawSandbox>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Option<PartialSandbox>> {
    let Some(raw) = raw else { return Some(None) };
    let write = raw.write.judge(problems, writable);
    let read = raw.read.judge(problems, paths);
    let network = raw.network.judge(problems, |at| {
        word(
            &at,
            &NETWORKS,
            "`all`, the default, means TCP and UDP to any host; `none` means no sockets at all",
        )
    });
    let enforce = raw.enforce.judge(problems, |at| {
        let note =
            "`require`, the default, refuses a run that this machine cannot confine; `warn` runs it anyway";
        word(&at, &ENFORCEMENTS, note)
    });
    Some(Some(PartialSandbox {
        write: write.optional()?,
        read: read.optional()?,
        network: network.optional()?,
        enforcement: enforce.optional()?,
    }))
}

/// Returns the sandbox whose keys are those of `own`, then those of `shared`, then the defaults.
pub(super) fn merged(own: Option<PartialSandbox>, shared: Option<&PartialSandbox>) -> Option<SandboxPlan> {
    if own.is_none() && shared.is_none() {
        return None;
    }
    let (own, shared) = (own.unwrap_or_default(), shared.cloned().unwrap_or_default());
    let default = SandboxPlan::default();
    Some(SandboxPlan {
        write: own.write.or(shared.write).unwrap_or(default.write),
        read: own.read.or(shared.read),
        network: own.network.or(shared.network).unwrap_or(default.network),
        enforcement: own.enforcement.or(shared.enforcement).unwrap_or(default.enforcement),
    })
}

/// Refuses a sandbox for the command of a model, which has none.
pub(super) fn of_model(model: Span) -> Diagnostic {
    Diagnostic::error("`agent.sandbox` is for an agent that is a command")
        .at(model, "this is a model")
        .note("the commands of a model's tools run in a sandbox of their own: `[policy] sandbox` in the settings")
        .help("remove `agent.sandbox`")
}

fn writable(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    match at.value.iter().find(|item| item.value.trim_end_matches('/').is_empty() && !item.value.is_empty()) {
        Some(item) => Err(Diagnostic::error(format!("`{}` names the whole system", at.key))
            .at(item.span.clone(), "this would let the commands write everywhere")
            .help("name the folders to write")),
        None => paths(at),
    }
}

fn paths(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<String>, Diagnostic> {
    let key = at.key;
    let path = |item: SpannedText| {
        let wrong = |label: &str| {
            Diagnostic::error(format!("`{}` in `{key}` is not a path for a sandbox", item.value))
                .at(item.span.clone(), label.to_owned())
                .help("write a path from `/`, from the home folder (`~/.cargo`), or from the folder of the run (`src`)")
        };
        match item.value.as_str() {
            "" => Err(wrong("this is empty")),
            text if text.contains(['*', '?', '[']) => {
                Err(wrong("the kernel knows no patterns; name the folder"))
            }
            text if text.contains('\0') => Err(wrong("it has a NUL character in it")),
            text if text.split('/').any(|part| part == "..") => Err(wrong("it has a `..` in it")),
            text if text.starts_with('~') && text != "~" && !text.starts_with("~/") => {
                Err(wrong("only your own home folder has a short form"))
            }
            _ => Ok(item.value),
        }
    };
    at.value.into_iter().map(path).collect()
}
