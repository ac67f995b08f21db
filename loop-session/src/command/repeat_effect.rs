//! The effect of repeating a command.
//!
//! Nobody watches what a loop or a job repeats. Some commands would create another loop each time, or switch to another
//! session. The refusal comes when the loop or the job is created, while somebody can still read it, and not when the
//! command finally runs.

/// The effect of repeating a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatEffect {
    /// Each repeat does the same.
    Same,
    /// Each repeat creates another loop or job.
    More,
    /// The remaining repeats would run in another session, which nobody asked for.
    Elsewhere,
    /// The repeat changes the rules that apply. Models create jobs too, and only a person may change rules.
    Rules,
    /// The repeat removes stored sessions. Models create jobs too, and only a person may remove those.
    Removes,
    /// The repeat restores files. Models create jobs too, and only a person may undo.
    Restores,
    /// The repeat leaves the session.
    End,
}

impl RepeatEffect {
    /// Returns why no such `kind` (a loop or a job) can be created, or `None` if it can.
    pub(crate) fn refused(self, kind: &str) -> Option<String> {
        match self {
            Self::Same => None,
            Self::More => Some(format!("a {kind} cannot create loops or jobs: let it do their work itself")),
            Self::Elsewhere => Some(format!("a {kind} cannot switch to another session: switch first")),
            Self::Rules => Some(format!("a {kind} cannot change the rules: only a person may type that")),
            Self::Removes => Some(format!("a {kind} cannot remove sessions: only a person may type that")),
            Self::Restores => Some(format!("a {kind} cannot restore files: only a person may type that")),
            Self::End => Some(format!("a {kind} cannot leave the session")),
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
            ("look at /loop", RepeatEffect::Same),
            ("!exit", RepeatEffect::Same),
            ("/nothing", RepeatEffect::Same),
            ("/status", RepeatEffect::Same),
            ("/session export notes.md", RepeatEffect::Same),
            ("/schedule", RepeatEffect::Same),
            ("/schedule list", RepeatEffect::Same),
            ("/ LOOP 1s x", RepeatEffect::More),
            ("/every 5m x", RepeatEffect::More),
            ("/jobs cron * * * * * x", RepeatEffect::More),
            ("/schedule at 18:00 x", RepeatEffect::More),
            ("/session continue x", RepeatEffect::Elsewhere),
            ("/session use", RepeatEffect::Elsewhere),
            ("/session rm 2026", RepeatEffect::Removes),
            ("/record", RepeatEffect::Same),
            ("/record off", RepeatEffect::Removes),
            ("/audit status", RepeatEffect::Same),
            ("/audit clear", RepeatEffect::Rules),
            ("/safemode", RepeatEffect::Same),
            ("/safe off", RepeatEffect::Rules),
            ("/safemode allow cargo", RepeatEffect::Rules),
            ("/safemode reset", RepeatEffect::Rules),
            ("/allow", RepeatEffect::Same),
            ("/allow 'cargo test'", RepeatEffect::Rules),
            ("/deny --keep x", RepeatEffect::Rules),
            ("/tools", RepeatEffect::Same),
            ("/tools on", RepeatEffect::Rules),
            ("/permissions read src", RepeatEffect::Same),
            ("/permissions set . all", RepeatEffect::Rules),
            ("/permissions reset", RepeatEffect::Rules),
            ("/permissions s\\et . all", RepeatEffect::Rules),
            ("/permissions \"set\" . all", RepeatEffect::Rules),
            ("/undo", RepeatEffect::Restores),
            ("/rewind", RepeatEffect::Same),
            ("/rewind 3", RepeatEffect::Restores),
            ("/Bye ", RepeatEffect::End),
            ("/Bye now", RepeatEffect::Same),
        ] {
            assert_eq!(Commands::standard().repeat_effect(line), comes, "{line}");
        }
        assert_eq!(RepeatEffect::Same.refused("loop"), None);
        assert!(RepeatEffect::More.refused("job").unwrap().starts_with("a job cannot create loops or jobs"));
    }
}
