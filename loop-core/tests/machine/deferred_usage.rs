//! The usage of attempts that were deferred.

use std::time::Duration;

use loop_core::{Cost, Input, Notes, Usage, Usd, WorkResult};

use super::{NOW, machine, some_id, tell};

/// Returns the numbers of iterations without a whole price, and without all tokens, after an iteration whose first
/// attempt was deferred.
fn unknown_after(deferred: Usage, done: Usage) -> (u64, u64) {
    let mut run = machine(Vec::new());
    tell(&mut run, NOW, Input::Started);
    let mut attempt = |result, usage| {
        let notes = Notes::default().with_usage(usage).boxed();
        tell(&mut run, NOW, Input::Iterated { id: some_id(), result, notes });
        tell(&mut run, NOW, Input::Waited { id: some_id() });
    };
    attempt(WorkResult::Later { after: Duration::ZERO }, deferred);
    attempt(WorkResult::Done(()), done);
    let progress = run.progress();
    assert_eq!(progress.iterations(), 1);
    (progress.unpriced_iterations(), progress.uncounted_iterations())
}

#[test]
fn a_deferred_attempt_that_used_nothing_leaves_nothing_unknown() {
    let whole = Usage::unknown().with_tokens(1, 1).with_cost(Cost::known(Usd::dollars(1)));
    assert_eq!(unknown_after(Usage::unknown(), whole), (0, 0));
    assert_eq!(unknown_after(whole, whole), (0, 0));
}

#[test]
fn what_is_unknown_of_a_deferred_attempt_is_unknown_of_its_iteration() {
    let whole = Usage::unknown().with_tokens(1, 1).with_cost(Cost::known(Usd::dollars(1)));
    assert_eq!(unknown_after(Usage::unknown().with_tokens(1, 1), whole), (1, 0));
    assert_eq!(unknown_after(whole.with_partial_tokens(), whole), (0, 1));
    assert_eq!(unknown_after(whole, Usage::unknown()), (1, 1));
}
