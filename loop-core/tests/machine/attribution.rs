//! Which guardrail an ending names.

use loop_core::{Ceiling, Decision, Guardrail, Input, Notes, Progress, Usage, WorkResult};

use super::{NOW, machine, some_id, tell};

/// Limits tokens.
struct Tokens(&'static str, u64);

impl Guardrail for Tokens {
    fn name(&self) -> &str {
        self.0
    }
    fn check(&self, _: &Progress) -> Decision {
        Decision::Continue
    }
    fn ceiling(&self, progress: &Progress) -> Ceiling {
        Ceiling::tokens(self.1.saturating_sub(progress.usage().tokens().unwrap_or(0)))
    }
}

/// The interrupted work still reports usage, which exhausts the other limit too.
#[test]
fn an_ending_names_the_guardrail_that_interrupted_the_work() {
    let mut run = machine(vec![Box::new(Tokens("large", 10)), Box::new(Tokens("small", 5))]);
    tell(&mut run, NOW, Input::Started);
    tell(&mut run, NOW, Input::Reported { usage: Usage::unknown().with_tokens(6, 0) });
    assert!(run.progress().is_interrupted());
    let notes = Notes::default().with_usage(Usage::unknown().with_tokens(6, 0)).boxed();
    tell(&mut run, NOW, Input::Iterated { id: some_id(), result: WorkResult::Done(()), notes });
    let ending = run.progress().ending().expect("the end of the run");
    assert_eq!((ending.guardrail(), run.progress().usage().tokens()), (Some("small"), Some(12)));
}
