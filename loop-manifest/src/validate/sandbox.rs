//! The sandboxes of the agent and of the check.

use loop_agents::process::sandbox::{AllowedHost, Enforcement, SandboxNetwork};

use super::{
    super::{
        diagnostics::{Diagnostic, Span},
        field::{FieldValue, SpannedText, WordOrTexts},
        raw_sandbox::RawSandbox,
        sandbox_plan::SandboxPlan,
    },
    words::word,
};

/// The words of `network`, and whether they allow any host.
const NETWORKS: [(&str, bool); 2] = [("all", true), ("none", false)];

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
    let network = raw.network.judge(problems, network);
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

fn network(FieldValue { key, value, span }: FieldValue<WordOrTexts>) -> Result<SandboxNetwork, Diagnostic> {
    let note = "`all`, the default, means TCP and UDP to any host; `none` means no sockets at all; a list of hosts, such \
                as `[\"api.example.org:443\"]`, means TCP to them";
    let host = |item: SpannedText| {
        item.value.parse::<AllowedHost>().map_err(|error| {
            Diagnostic::error(format!("`{key}`: {error}"))
                .at(item.span, "this needs a name or an IP address, and a port")
                .help("name each host: there are no patterns, and a name does not include those below it")
        })
    };
    match value {
        WordOrTexts::Word(value) => {
            let at = FieldValue { key, value, span };
            Ok(if word(&at, &NETWORKS, note)? { SandboxNetwork::All } else { SandboxNetwork::None })
        }
        WordOrTexts::Texts(hosts) => {
            Ok(SandboxNetwork::Hosts(hosts.into_iter().map(host).collect::<Result<_, _>>()?))
        }
    }
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
