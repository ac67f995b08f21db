//! The choice of a model at the start, if nobody named one and the servers have several.

use std::io::{self, BufRead as _};

use loop_manifest::{
    ExecutionContext,
    model::{Candidates, ConversationOptions, Model, ModelChoiceError},
    settings::Settings,
};
use loop_session::StartModel;

use crate::view::{self, text};

/// Lets the person choose a model, if there is a choice.
///
/// # Errors
/// The model is not usable, or the terminal is lost.
pub(super) fn choose(
    conversation: &ConversationOptions,
    settings: &Settings,
    cx: &ExecutionContext,
) -> Result<StartModel, ModelChoiceError> {
    if conversation.model.is_some() {
        return Ok(StartModel::Choose);
    }
    match Model::configured(settings, cx.variables()) {
        Ok(Some(model)) => return Ok(StartModel::Chosen(Box::new(model))),
        Err(why) => return Ok(StartModel::Declined(why)),
        Ok(None) => {}
    }
    let candidates = Candidates::ask(settings, cx.variables())?;
    let names = candidates.names();
    if names.len() < 2 {
        return Ok(match candidates.unattended(settings, cx.variables()) {
            Ok(model) => StartModel::Chosen(Box::new(model)),
            Err(why) => StartModel::Declined(why),
        });
    }
    let usual = candidates.last_used(settings, cx.variables()).unwrap_or(0);
    view::say("Several models are available:");
    for (index, name) in names.iter().enumerate() {
        let note = if index == usual { "  (default)" } else { "" };
        view::say(&format!("  {}  {}{note}", index + 1, text::one_line(name)));
    }
    view::say("  0  none");
    match ask(names.len(), usual).map_err(ModelChoiceError::Runtime)? {
        // Its name alone could mean a model of another server.
        Some(index) => {
            candidates.model(index, cx.variables()).map(|model| StartModel::Chosen(Box::new(model)))
        }
        None => Ok(StartModel::Declined(ModelChoiceError::NoneNamed { why: "you chose none".to_owned() })),
    }
}

/// Asks for a number until the person types one. Returns the index of the model; `None` for none.
fn ask(count: usize, usual: usize) -> io::Result<Option<usize>> {
    loop {
        view::say(&format!("Which one answers? [{}]", usual + 1));
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim() {
            "" => return Ok(Some(usual)),
            "0" => return Ok(None),
            written => match written.parse::<usize>() {
                Ok(number) if number <= count => return Ok(Some(number - 1)),
                _ => view::say(&format!("`{}` is not a number from 0 to {count}", text::one_line(written))),
            },
        }
    }
}
