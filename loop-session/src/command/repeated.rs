//! The effect of repeating a command.
//!
//! Nobody watches what a loop or a job repeats. Some commands would create another loop each time, or switch to another
//! session. The refusal comes when the loop or the job is created, while somebody can still read it, and not when the
//! command finally runs.

/// The effect of repeating a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// Each repeat does the same.
    Same,
    /// Each repeat creates another loop or job.
    More,
    /// The remaining repeats would run in another session, which nobody asked for.
    Elsewhere,
    /// The repeat changes the rules that apply. Models create jobs too, and only a person may change rules.
    Rules,
    /// The repeat leaves the session.
    End,
}

impl Repeated {
    /// Returns why no such `kind` (a loop or a job) can be created, or `None` if it can.
    pub(crate) fn refused(self, kind: &str) -> Option<String> {
        match self {
            Self::Same => None,
            Self::More => {
                Some(format!("a {kind} that makes loops or jobs is none: let it do what they would do"))
            }
            Self::Elsewhere => {
                Some(format!("a {kind} that goes on with another session is none: do that first"))
            }
            Self::Rules => {
                Some(format!("a {kind} that changes what may be done is none: that is for a person to type"))
            }
            Self::End => Some(format!("a {kind} that leaves the session is none")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Commands;

    #[test]
    fn what_is_not_the_same_each_time_is_told_however_it_is_written() {
        for (line, comes) in [
            ("look at /loop", Repeated::Same),
            ("!exit", Repeated::Same),
            ("/nothing", Repeated::Same),
            ("/status", Repeated::Same),
            ("/session export notes.md", Repeated::Same),
            ("/schedule", Repeated::Same),
            ("/schedule list", Repeated::Same),
            ("/ LOOP 1s x", Repeated::More),
            ("/every 5m x", Repeated::More),
            ("/jobs cron * * * * * x", Repeated::More),
            ("/schedule at 18:00 x", Repeated::More),
            ("/session continue x", Repeated::Elsewhere),
            ("/session use", Repeated::Elsewhere),
            ("/safemode", Repeated::Same),
            ("/safe off", Repeated::Rules),
            ("/tools", Repeated::Same),
            ("/tools on", Repeated::Rules),
            ("/permissions read src", Repeated::Same),
            ("/permissions set . all", Repeated::Rules),
            ("/permissions reset", Repeated::Rules),
            ("/permissions s\\et . all", Repeated::Rules),
            ("/permissions \"set\" . all", Repeated::Rules),
            ("/Bye ", Repeated::End),
            ("/Bye now", Repeated::Same),
        ] {
            assert_eq!(Commands::standard().repeated(line), comes, "{line}");
        }
        assert_eq!(Repeated::Same.refused("loop"), None);
        assert!(Repeated::More.refused("job").unwrap().starts_with("a job that makes loops or jobs is none"));
    }
}
