//! The bookkeeping of a budget, as a pure function of its notes.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{FleetGrant, FleetNote, FleetStep};

/// The amounts of a budget, in billionths of a dollar.
///
/// It never reserves more than what is left of the budget. Runs exceed the budget only by what their steps spend beyond
/// their reservations: the usage that a worker hears of before it can end its agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The budget.
    pub budget: u64,
    /// The amount that settled steps have spent.
    pub spent: u64,
    runs: BTreeMap<String, Account>,
    /// The steps that wait for an amount, oldest first.
    waiting: VecDeque<(String, FleetStep)>,
}

/// The account of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Account {
    /// The last settled step. A note may arrive twice.
    settled: Option<u64>,
    held: Option<FleetStep>,
    has_left: bool,
}

impl Ledger {
    /// Creates the ledger of a budget from which nothing has been spent.
    pub fn new(budget: u64) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Returns the amount that is reserved for steps in progress.
    pub fn held(&self) -> u64 {
        self.runs.values().filter_map(|account| account.held).fold(0, |sum, it| sum.saturating_add(it.amount))
    }

    /// Returns the number of steps that wait for an amount.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the number of runs that have left.
    pub fn runs_left(&self) -> u64 {
        self.runs.values().map(|account| u64::from(account.has_left)).sum()
    }

    /// Returns the amount that is neither spent nor reserved.
    pub fn available(&self) -> u64 {
        self.budget.saturating_sub(self.spent).saturating_sub(self.held())
    }

    /// Counts a note, and returns the answers to the steps that waited. A note that arrives again changes nothing, and its
    /// step gets the same answer.
    pub fn note(&mut self, note: FleetNote) -> Vec<(String, FleetGrant)> {
        let account = self.runs.entry(note.run.clone()).or_default();
        if let Some(spent) = note.spent.filter(|spent| account.settled.is_none_or(|last| last < spent.step)) {
            account.settled = Some(spent.step);
            account.held = account.held.filter(|held| held.step > spent.step);
            self.spent = self.spent.saturating_add(spent.amount);
        }
        account.has_left |= note.leaves;
        if note.leaves {
            account.held = None;
            self.waiting.retain(|(run, _)| *run != note.run);
        }
        let wants = note.wants.filter(|wants| account.settled.is_none_or(|last| last < wants.step));
        let mut answers = Vec::new();
        match (wants, account.held) {
            (Some(wants), Some(held)) if held.step == wants.step => {
                answers.push((note.run, FleetGrant { step: held.step, amount: Some(held.amount) }));
            }
            (Some(wants), held) if !account.has_left && held.is_none_or(|held| held.step < wants.step) => {
                // A run has one step at a time.
                account.held = None;
                self.waiting.retain(|(run, _)| *run != note.run);
                self.waiting.push_back((note.run, wants));
            }
            _ => {}
        }
        self.serve(&mut answers);
        answers
    }

    /// Answers the oldest steps. One that wants more than is available waits for reservations to end, and gets the rest
    /// when there are none.
    fn serve(&mut self, answers: &mut Vec<(String, FleetGrant)>) {
        while let Some((run, wants)) = self.waiting.front().cloned() {
            let (available, held) = (self.available(), self.held());
            if available < wants.amount && held > 0 {
                return;
            }
            self.waiting.pop_front();
            let amount = Some(wants.amount.min(available)).filter(|amount| *amount > 0);
            if let Some(account) = self.runs.get_mut(&run) {
                account.held = amount.map(|amount| FleetStep { amount, ..wants });
            }
            answers.push((run, FleetGrant { step: wants.step, amount }));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn wants(run: &str, step: u64, amount: u64) -> FleetNote {
        FleetNote { run: run.to_owned(), spent: None, wants: Some(FleetStep { step, amount }), leaves: false }
    }

    fn spent(run: &str, step: u64, amount: u64) -> FleetNote {
        FleetNote { run: run.to_owned(), spent: Some(FleetStep { step, amount }), wants: None, leaves: false }
    }

    fn grant(run: &str, step: u64, amount: Option<u64>) -> (String, FleetGrant) {
        (run.to_owned(), FleetGrant { step, amount })
    }

    #[test]
    fn a_step_waits_for_reservations_and_gets_the_rest_when_there_are_none() {
        let mut ledger = Ledger::new(10);
        assert_eq!(ledger.note(wants("a", 1, 6)), [grant("a", 1, Some(6))]);
        assert_eq!(ledger.note(wants("b", 1, 6)), []);
        assert_eq!((ledger.waiting(), ledger.available()), (1, 4));
        assert_eq!(ledger.note(spent("a", 1, 7)), [grant("b", 1, Some(3))]);
        assert_eq!(ledger.note(spent("b", 1, 3)), []);
        assert_eq!(ledger.note(wants("a", 2, 1)), [grant("a", 2, None)]);
    }

    #[test]
    fn a_run_that_leaves_frees_its_reservation_and_its_place_in_the_queue() {
        let mut ledger = Ledger::new(10);
        let leaves = |run: &str| FleetNote { run: run.to_owned(), spent: None, wants: None, leaves: true };
        ledger.note(wants("a", 1, 10));
        ledger.note(wants("b", 1, 1));
        ledger.note(wants("c", 1, 1));
        assert_eq!(ledger.note(leaves("b")), []);
        assert_eq!(ledger.note(leaves("a")), [grant("c", 1, Some(1))]);
        assert_eq!(ledger.runs_left(), 2);
    }

    /// Notes of a few runs, in any order and with repetitions.
    fn notes() -> impl Strategy<Value = Vec<FleetNote>> {
        let step = || proptest::option::of((0..6_u64, 0..9_u64));
        let note = ("[a-c]", step(), step(), proptest::bool::weighted(0.05));
        let of = |step: Option<(u64, u64)>| step.map(|(step, amount)| FleetStep { step, amount });
        vec(
            note.prop_map(move |(run, spent, wants, leaves)| FleetNote {
                run,
                spent: of(spent),
                wants: of(wants),
                leaves,
            }),
            0..40,
        )
    }

    proptest! {
        #[test]
        fn no_reservation_is_granted_past_the_budget(budget in 0..30_u64, notes in notes()) {
            let mut ledger = Ledger::new(budget);
            for note in notes {
                let before = ledger.held();
                let granted = ledger.note(note);
                if ledger.held() > before {
                    prop_assert!(ledger.spent + ledger.held() <= budget, "{:?} {:?}", ledger, granted);
                }
            }
        }

        #[test]
        fn what_is_spent_beyond_the_budget_is_spent_beyond_reservations(budget in 1..30_u64, over in vec(0..4_u64, 1..30)) {
            let mut ledger = Ledger::new(budget);
            let mut beyond = 0;
            for (step, over) in (1..).zip(over) {
                let answers = ledger.note(wants("a", step, 3));
                let [(_, FleetGrant { amount: Some(amount), .. })] = answers[..] else { break };
                beyond += over;
                ledger.note(spent("a", step, amount + over));
            }
            prop_assert!(ledger.spent <= budget + beyond);
        }

        #[test]
        fn a_note_that_arrives_again_changes_nothing(budget in 0..30_u64, notes in notes()) {
            let mut ledger = Ledger::new(budget);
            for note in notes {
                ledger.note(note.clone());
                let once = ledger.clone();
                ledger.note(FleetNote { wants: None, ..note });
                prop_assert_eq!(&ledger, &once);
            }
        }

        #[test]
        fn every_step_is_answered_when_the_others_are_over(budget in 0..30_u64, notes in notes()) {
            let mut ledger = Ledger::new(budget);
            notes.into_iter().for_each(|note| drop(ledger.note(note)));
            for run in ["a", "b", "c"] {
                ledger.note(FleetNote { run: run.to_owned(), spent: None, wants: None, leaves: true });
            }
            prop_assert_eq!((ledger.waiting(), ledger.held()), (0, 0));
        }
    }
}
