//! What comes of a command that is done again and again.
//!
//! What a loop or a job repeats, nobody looks at. A command that makes another loop each time, or goes on with another
//! session, is not refused where it is done at last, but where somebody still reads it: when the loop or the job is made.

/// What comes of doing something again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// The same each time.
    Same,
    /// More and more loops, or jobs.
    More,
    /// The rest is done in another session, which was not asked to.
    Elsewhere,
    /// Other rules hold for what is done. A model makes jobs as well, and rules are a person's affair.
    Rules,
    /// An end: it leaves the session.
    End,
}

impl Repeated {
    /// Why there is no such `kind`, a loop or a job; nothing if there can be.
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
