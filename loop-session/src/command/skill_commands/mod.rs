//! Commands for skills and sets of skills.

mod skill;
mod skill_set;

pub use self::skill_set::create;
pub(super) use self::{skill::SkillCommand, skill_set::SkillSetCommand};
use crate::Session;

/// Reports which instructions the model has now.
fn show_loaded(session: &Session, names: &[String]) {
    let text = match names {
        [] => "the model has these instructions already".to_owned(),
        names => format!("the next prompt goes with the instructions of {}", names.join(", ")),
    };
    session.say(&session.host().one_line(&text));
}

/// Reports the skills whose instructions are in the conversation.
fn show_status(session: &Session) {
    let names = session.loaded_skills();
    let text = match &names[..] {
        [] => "no skill is loaded".to_owned(),
        names => format!("loaded: {}", names.join(", ")),
    };
    session.say(&session.host().one_line(&text));
}
