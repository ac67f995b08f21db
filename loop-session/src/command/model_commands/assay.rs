//! `/assay`: measures how often cases pass.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use loop_assay::{Assay, AssayEnd, AssayOptions, CaseOutcome, CaseRun, Cases, Subject, table};
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::StateDir;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

pub(in crate::command) struct AssayCommand;

/// The most runs of each case in a session.
const MAX_RUNS: usize = 1000;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "assay",
    aliases: &[],
    arguments: "FOLDER [--model NAME]... [--runs N]",
    summary: "Measure how often the cases of a folder pass",
    help: "Each run works in a copy of the folder of its case. The default is the model of the session, and one run of each \
           case. The same command continues an assay that was interrupted. `loop assay` has further options.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for AssayCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let (folder, mut options) = request(&words)?;
        let refused = |error: &dyn std::error::Error| InputError::refused(with_causes(error));
        let execution = &session.context.execution;
        let cases = Cases::open(&execution.folder().join(folder)).map_err(|error| refused(&error))?;
        let model = session.dialogue.model.as_ref().map(Model::asked);
        if options.subjects.is_empty() && cases.all().iter().any(loop_assay::Case::is_prompt) {
            options.subjects.push(Subject::Model(model.ok_or(InputError::NoModel)?.to_owned()));
        }
        let state = StateDir::from_env_with(|name| execution.variable(name)).and_then(|state| state.assays());
        let places = state.map_err(|error| refused(&error))?;
        let cx = execution.clone().on_warning(|_| ());
        let assay = Assay::new(cases, &options, cx, &places).map_err(|error| refused(&error))?;
        let (host, stop) = (session.host().clone(), session.stop());
        let say = Arc::new(move |name: &str, run: &CaseRun| {
            let outcome = match run.outcome {
                CaseOutcome::Passed => "passed".to_owned(),
                CaseOutcome::Failed => format!("failed: {}", run.why),
                _ => format!("not made: {}", run.why),
            };
            host.say(&host.printable(&format!("{name}: {outcome}")));
        });
        let view = session.show("", "measuring".to_owned(), None, None);
        let report = assay.cancel_on(stop).on_run(move |name, run| say(name, run)).run().await;
        drop(view);
        let report = report.map_err(|error| refused(&error))?;
        session.say(&session.host().printable(&table(&report.results).join("\n")));
        match report.end {
            AssayEnd::Cancelled => Err(InputError::Interrupted),
            _ => Ok(()),
        }
    }
}

fn request(words: &[String]) -> Result<(&Path, AssayOptions), InputError> {
    let (mut options, mut folder, mut words) = (AssayOptions::default(), None, words.iter());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--model" => {
                let name = words.next().ok_or_else(|| INFO.misused("--model needs a name"))?;
                let subject = Subject::Model(name.clone());
                if options.subjects.contains(&subject) {
                    return Err(INFO.misused(format!("--model {name} is given twice")));
                }
                options.subjects.push(subject);
            }
            "--runs" => {
                let number = words.next().and_then(|number| number.parse().ok());
                let number = number.filter(|number| (1..=MAX_RUNS).contains(number));
                let wrong = || INFO.misused(format!("--runs takes a number from 1 to {MAX_RUNS}"));
                options.runs = number.ok_or_else(wrong)?;
            }
            option if option.starts_with("--") => {
                return Err(INFO.misused(format!("there is no option {option}")));
            }
            name if folder.is_none() => folder = Some(Path::new(name)),
            _ => return Err(INFO.misused("name one folder")),
        }
    }
    Ok((folder.ok_or_else(|| INFO.misused("the folder is missing"))?, options))
}
