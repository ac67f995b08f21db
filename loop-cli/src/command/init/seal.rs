//! `loop init --sealed`: whether the check can be sealed.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_manifest::{Format, Plan, Source, describe_missing, init::Draft};

use crate::{
    command::{
        Failure,
        environment::{block_on, execution_context, new_run_id, unless_signalled},
        usage,
    },
    view,
};

/// Runs the check of a draft in this folder, plainly and sealed. Returns why it cannot be sealed, which the user has read
/// by then; `Err` if a signal ended that.
pub(super) fn objection(
    draft: &Draft<'_>,
    dir: PathBuf,
) -> Result<Result<Option<String>, ExitCode>, Failure> {
    let Some(check) = draft.check else {
        return Err(usage!("--sealed needs a check, and none was found: name one with --check"));
    };
    let variables: Vec<_> = env::vars_os().collect();
    let missing =
        describe_missing("check", check.command(), env::var_os("PATH").as_deref(), &dir, &variables);
    if let Some(missing) = missing {
        return Err(usage!("--sealed tries the check, and it cannot run: {missing}"));
    }
    let source = Source::from_bytes(Path::new("loop.yaml"), draft.render(Format::Yaml).into_bytes())?;
    let plan = Plan::of(source)?.plan;
    let cx = execution_context(dir, new_run_id())?;
    view::say("tries the check in this folder, and in a sealed tree");
    let mut objection = None;
    let code = block_on(unless_signalled(async {
        objection = Some(match plan.try_seal(&cx).await {
            Ok(trial) => trial.difference(),
            Err(error) => Some(error.to_string()),
        });
        Ok(())
    }))?;
    let Some(objection) = objection else { return Ok(Err(code)) };
    match &objection {
        Some(why) => view::warning(&format!("the check is not sealed: {why}")),
        None => view::say("both say the same, so the check is sealed"),
    }
    Ok(Ok(objection))
}
