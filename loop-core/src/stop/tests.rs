use std::sync::{Arc, Mutex, PoisonError};

use super::*;
use crate::{EventKind, RunTime};

/// Met or not, whatever the step is; counts the events that it sees.
#[derive(Clone)]
struct Fixed(bool, &'static str, Arc<Mutex<u32>>);

impl StopCondition<()> for Fixed {
    fn is_met(&self, (): &(), _: &Progress) -> bool {
        self.0
    }
    fn observe(&mut self, _: &Event) {
        *self.2.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.1)
    }
}

fn yes(name: &'static str) -> Condition<Fixed> {
    Condition::new(Fixed(true, name, Arc::default()))
}

fn no(name: &'static str) -> Condition<Fixed> {
    Condition::new(Fixed(false, name, Arc::default()))
}

/// Returns the name of the deciding condition, if the condition is met.
fn decides(condition: &impl StopCondition<()>) -> Option<String> {
    let progress = Progress::default();
    condition.is_met(&(), &progress).then(|| condition.decided_by(&(), &progress))
}

fn name(condition: &impl StopCondition<()>) -> String {
    condition.name().into_owned()
}

/// A condition that says nothing about its name.
struct Unnamed<T>(T);

impl<T: Send> StopCondition<()> for Unnamed<T> {
    fn is_met(&self, (): &(), _: &Progress) -> bool {
        true
    }
}

#[test]
fn a_condition_is_named_after_its_type_or_as_it_says() {
    assert_eq!(name(&Unnamed(vec![1_u8])), "Unnamed");
    assert_eq!(name(&Box::new(Condition::new(Unnamed(())))), "Unnamed");
    assert_eq!(name(&condition_fn(|(): &(), _: &Progress| true)), "condition_fn");
    assert_eq!(name(&condition_fn(|(): &(), _: &Progress| true).named("mine")), "mine");
    let passed: &dyn StopCondition<crate::JudgedStep<()>> = &evaluator_passed();
    assert_eq!(passed.name(), "evaluator_passed");
}

#[test]
fn a_combination_is_named_so_that_it_reads_in_one_way() {
    assert_eq!(name(&yes("a").and(yes("b").or(yes("c")))), "a and (b or c)");
    assert_eq!(name(&yes("a").not().not()), "not (not a)");
    assert_eq!(name(&all([yes("a"), yes("b")])), "a and b");
    assert_eq!(name(&any([yes("a"), yes("b")]).not()), "not (a or b)");
    assert_eq!(name(&at_least(2, [yes("a"), yes("b"), yes("c")])), "at least 2 of a, b, c");
    assert_eq!(name(&all([yes("a")])), "a");
    assert_eq!(name(&any([yes("a")])), "a");
}

#[test]
fn the_parts_that_decided_are_named() {
    let decides = |condition: Condition<Box<dyn StopCondition<()>>>| decides(&condition).expect("met");
    assert_eq!(decides(yes("a").and(yes("b")).boxed()), "a and b");
    assert_eq!(decides(no("a").or(yes("b")).or(yes("c")).boxed()), "b");
    assert_eq!(decides(no("a").not().boxed()), "not a");
    assert_eq!(decides(no("a").and(yes("b")).not().boxed()), "not (a and b)");
    assert_eq!(decides(all([yes("a"), yes("b"), yes("c")]).boxed()), "a and b and c");
    assert_eq!(decides(any([no("a"), yes("b"), yes("c")]).boxed()), "b");
    assert_eq!(decides(at_least(1, [yes("a"), no("b"), yes("c")]).boxed()), "a, c");
    assert_eq!(decides(no("a").or(yes("b")).and(yes("c")).boxed()), "b and c");
    assert_eq!(decides(no("a").or(yes("b")).named("either").boxed()), "either");
}

#[test]
fn an_empty_list_meets_all_but_not_any() {
    let none = || [] as [Condition<Fixed>; 0];
    assert_eq!(decides(&all(none())).as_deref(), Some("all of none"));
    assert_eq!(decides(&any(none())), None);
    assert_eq!(name(&any(none())), "any of none");
    assert_eq!(decides(&at_least(0, none())).as_deref(), Some("at least 0"));
    assert_eq!(decides(&at_least(0, [no("a")])).as_deref(), Some("at least 0"));
    assert_eq!(decides(&at_least(1, none())), None);
    assert_eq!(decides(&at_least(3, [yes("a"), yes("b")])), None);
    assert_eq!(decides(&at_least(usize::MAX, [yes("a")])), None);
}

#[test]
fn every_part_sees_every_event_whatever_decides() {
    let seen = Arc::new(Mutex::new(0));
    let leaf = |met| Condition::new(Fixed(met, "leaf", Arc::clone(&seen)));
    let lists = all([leaf(false), leaf(true)]).or(any([leaf(true), leaf(true)]));
    let mut condition =
        lists.and(at_least(0, [leaf(true), leaf(false)])).or(leaf(true).not()).named("all of it");
    let event = Event::new(RunTime::ZERO, EventKind::WaitFinished {});
    StopCondition::<()>::observe(&mut condition, &event);
    assert_eq!(*seen.lock().unwrap_or_else(PoisonError::into_inner), 7);
}
