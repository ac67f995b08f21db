//! `loop memory mine`: a model proposes memories, and a person decides.

use std::{env, process::ExitCode};

use loop_knowledge::memory::mining::{Mined, MiningOptions, MiningReport};
use loop_manifest::model::Model;
use loop_session::knowledge::{ChatExtractor, KnowledgeError};

use super::{
    super::{
        Failure,
        environment::{block_on, dir, report_choice, settings, unless_signalled},
        rag::known,
        runs::json,
    },
    records::Records,
    review,
};
use crate::{
    args::{KnowledgeArgs, MineArgs},
    view::{self, text},
};

/// The most bytes that a model with an unknown window receives.
const UNKNOWN_WINDOW_BYTES: usize = 8 << 10;

pub(super) fn exec(args: &MineArgs, place: &KnowledgeArgs) -> Result<ExitCode, Failure> {
    let known = known(place)?;
    if args.yes {
        known.expect_person("--yes")?;
    }
    let mut memories = known.memories()?;
    let mined = memories.mined_texts().map_err(KnowledgeError::from)?;
    let folder = dir(place.cwd.as_deref())?;
    let unmined = Records::open()?.unmined(args, &folder, &mined)?;
    let mut failure = None;
    if unmined.texts.is_empty() {
        view::say("there is nothing new to mine");
    } else {
        let variables: Vec<_> = env::vars_os().collect();
        let model = Model::choose(args.model.as_deref(), &settings(&folder)?, &variables)?;
        report_choice(&model);
        let options = MiningOptions {
            most_bytes: most_bytes(&model),
            again: args.run.is_some() || args.session.is_some(),
        };
        let extractor = ChatExtractor::new(model.boxed(0));
        let mut report = MiningReport::default();
        let code = block_on(unless_signalled(async {
            let mined = memories.mine(unmined.texts, &extractor, None, options, known.now()).await;
            report = mined.map_err(KnowledgeError::from)?;
            Ok(())
        }))?;
        report.mined.iter().for_each(|mined| show(mined, place.json));
        if unmined.left > 0 {
            view::say(&format!("{} are left for the next time", text::count(unmined.left as u64, "record")));
        }
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
        failure = report.failure;
    }
    let waits = place.json || !known.has_person();
    let accepts_all = args.yes || (known.has_person() && known.rules().accepts_all);
    let code = review::proposals(&mut memories, accepts_all, waits, place.json)?;
    match failure {
        Some(failure) => Err(KnowledgeError::from(failure).into()),
        None => Ok(code),
    }
}

/// Half of the window, of which a token has 4 bytes.
fn most_bytes(model: &Model) -> usize {
    model
        .window()
        .map_or(UNKNOWN_WINDOW_BYTES, |window| usize::try_from(window / 2 * 4).unwrap_or(usize::MAX))
}

fn show(mined: &Mined, is_json: bool) {
    if is_json {
        view::print_json_or_warn(&json(&mined));
        return;
    }
    let dropped = mined.dropped;
    let reasons =
        [(dropped.schema, "faulty"), (dropped.duplicates, "known"), (dropped.quotes, "without a quote")];
    let reasons: Vec<_> = reasons
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, why)| format!("{number} {why}"))
        .collect();
    let dropped =
        if reasons.is_empty() { String::new() } else { format!(", dropped {}", reasons.join(", ")) };
    if !mined.has_reply {
        view::warning(&text::printable(&format!(
            "{}: the reply has no proposals that can be read, so it is mined again next time",
            mined.key
        )));
        return;
    }
    let proposed = text::count(mined.proposed.len() as u64, "proposal");
    view::print_or_warn(&text::printable(&format!("{}: {proposed}{dropped}", mined.key)));
}
