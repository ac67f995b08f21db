//! The JSON of an ending.

use serde::{Deserialize, Serialize};

use super::{Ending, Halt};

/// The serialized form of an ending.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredEnding {
    halt: StoredHalt,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guardrail: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredHalt {
    reason: String,
    blockable: bool,
    #[serde(default)]
    message: String,
}

impl From<Ending> for StoredEnding {
    fn from(ending: Ending) -> Self {
        let (reason, blockable) = (ending.name().to_owned(), ending.is_blockable());
        match ending {
            Ending::GoalMet { by: message } => {
                Self { halt: StoredHalt { reason, blockable, message }, guardrail: None }
            }
            Ending::Halted { halt, guardrail } => {
                Self { halt: StoredHalt { reason, blockable, message: halt.message }, guardrail }
            }
        }
    }
}

impl From<StoredEnding> for Ending {
    fn from(
        StoredEnding { halt: StoredHalt { reason, blockable, message }, guardrail }: StoredEnding,
    ) -> Self {
        // A guardrail cannot meet a goal, but older versions let one write this.
        match reason == Self::GOAL_MET && guardrail.is_none() {
            true => Self::GoalMet { by: message },
            false => Self::Halted { halt: Halt { reason: reason.into(), blockable, message }, guardrail },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StopReason;

    #[test]
    fn no_halt_is_a_success() {
        let goal_met = StopReason::from("goal_met".to_owned());
        let forged = Ending::halted(Halt::new(goal_met, "I am done"));
        assert!(!forged.is_success());
        let json = serde_json::to_string(&forged).unwrap();
        assert_eq!(serde_json::from_str::<Ending>(&json).unwrap(), forged);
        let by_guardrail =
            r#"{"halt":{"reason":"goal_met","blockable":false,"message":""},"guardrail":"mine"}"#;
        assert!(!serde_json::from_str::<Ending>(by_guardrail).unwrap().is_success());
    }

    #[test]
    fn an_ending_survives_json() {
        let json = r#"{"halt":{"reason":"goal_met","blockable":false,"message":""}}"#;
        let ending = serde_json::from_str::<Ending>(json).unwrap();
        assert_eq!(ending, Ending::goal_met(""));
        assert_eq!(serde_json::to_string(&ending).unwrap(), json);
        for name in ["prompt_undeliverable", "of_my_own"] {
            let ending = Ending::halted_by("mine", Halt::new(name.to_owned().into(), "so"));
            let json = serde_json::to_string(&ending).unwrap();
            assert_eq!(serde_json::from_str::<Ending>(&json).unwrap(), ending);
        }
    }
}
