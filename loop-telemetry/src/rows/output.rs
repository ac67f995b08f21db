//! The part of an agent's output that rows and reports need.

/// The output of an agent in one iteration, whatever kind of agent it is.
///
/// A journal keeps outputs as JSON of the agent's own type. The caller knows that type; rows and reports need no more
/// than this.
pub trait IterationOutput {
    /// Returns the exit code of a command, as a shell shows it. `None`, the default, if the agent is no command.
    fn exit_code(&self) -> Option<i32> {
        None
    }

    /// Returns the number of bytes that the agent printed or said.
    fn bytes(&self) -> u64;

    /// Returns the text of the output, in at most `max_bytes` and a notice about bytes that were left out.
    fn excerpt(&self, max_bytes: usize) -> String;

    /// Returns the text of the standard error, cut in the same way. Empty by default.
    fn errors(&self, _max_bytes: usize) -> String {
        String::new()
    }

    /// Describes how the agent ended, in a few words.
    fn ending(&self) -> String;
}

const _: Option<&dyn IterationOutput> = None;
