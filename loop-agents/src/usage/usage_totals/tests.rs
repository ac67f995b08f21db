use proptest::prelude::*;

use super::*;

fn tokens(input: u64, output: u64) -> Usage {
    Usage::unknown().with_tokens(input, output)
}

/// Adds a total with unique words for these numbers.
fn total(totals: &mut UsageTotals, of: TotalScope<'_>, total: Usage) -> TotalEffect {
    let words = format!("{of:?} {total:?} after {:?}", totals.messages.names());
    totals.total(of, &words, total)
}

#[test]
fn a_message_counts_once_also_out_of_order_and_with_more_to_say() {
    let mut totals = UsageTotals::default();
    for (id, usage) in [("a", tokens(5, 1)), ("b", tokens(7, 1)), ("a", tokens(5, 1)), ("b", tokens(7, 9))] {
        totals.message(Some(id), usage);
    }
    assert_eq!(totals.sum(), tokens(12, 10));
}

#[test]
fn a_total_takes_the_place_of_its_messages_and_zero_does_not() {
    let mut totals = UsageTotals::default();
    totals.message(Some("a"), tokens(5, 1));
    assert_eq!(totals.tell(), tokens(5, 1));
    assert_eq!(total(&mut totals, TotalScope::ProcessSoFar("s"), tokens(0, 0)), TotalEffect::Zero);
    assert_eq!(totals.sum(), tokens(5, 1));
    assert_eq!(total(&mut totals, TotalScope::ProcessSoFar("s"), tokens(5, 40)), TotalEffect::Taken);
    assert_eq!(totals.tell(), Usage::unknown().with_output_tokens(39));
    assert_eq!(total(&mut totals, TotalScope::ProcessSoFar("s"), tokens(5, 40)), TotalEffect::Repeated);
    assert_eq!(totals.sum(), tokens(5, 40));
}

#[test]
fn a_lower_total_is_noted_and_nothing_is_taken_back() {
    let mut totals = UsageTotals::default();
    totals.message(None, tokens(50, 1));
    totals.tell();
    assert_eq!(total(&mut totals, TotalScope::Process, tokens(20, 1)), TotalEffect::Lower);
    assert_eq!((totals.sum(), totals.tell()), (tokens(20, 1), Usage::unknown()));
    totals.message(None, tokens(40, 0));
    assert_eq!(totals.tell(), Usage::unknown().with_input_tokens(10));
}

#[test]
fn a_thread_that_goes_on_counts_what_is_new() {
    let mut totals = UsageTotals::default();
    total(&mut totals, TotalScope::ThreadSoFar("t"), tokens(2500, 48));
    assert_eq!(totals.tell(), tokens(2500, 48));
    totals.end_run();
    total(&mut totals, TotalScope::ThreadSoFar("t"), tokens(5000, 96));
    assert_eq!(totals.tell(), tokens(2500, 48));
}

proptest! {
    #[test]
    fn an_id_counts_once_a_process_and_again_in_the_next(
        processes in prop::collection::vec((prop::collection::vec(0_u8..3, 1..6), any::<bool>()), 1..6),
    ) {
        let mut totals = UsageTotals::default();
        let (mut told, mut expected) = (Usage::unknown(), 0);
        for (ids, ends_run) in processes {
            for id in &ids {
                totals.message(Some(&id.to_string()), tokens(10, 1));
            }
            expected += ids.iter().collect::<std::collections::HashSet<_>>().len() as u64;
            told += totals.tell();
            if ends_run {
                totals.end_run();
            } else {
                totals.begin_process();
            }
        }
        prop_assert_eq!(told, tokens(10 * expected, expected));
    }
}

#[test]
fn a_thread_that_begins_anew_counts_in_full() {
    let mut totals = UsageTotals::default();
    total(&mut totals, TotalScope::ThreadSoFar("t"), tokens(2500, 48));
    total(&mut totals, TotalScope::ThreadSoFar("t"), tokens(1000, 20));
    assert_eq!(totals.sum(), tokens(3500, 68));
}

#[test]
fn a_session_that_another_process_goes_on_with_counts_in_full() {
    let mut totals = UsageTotals::default();
    for turn in ["a", "b"] {
        totals.message(Some(turn), Usage::unknown().with_input_tokens(500));
        total(&mut totals, TotalScope::ProcessSoFar("s"), tokens(500, 48));
    }
    assert_eq!(totals.sum(), tokens(1000, 96));
    totals.end_run();
    // The tokens of subagents, which have no messages, make it look as if the total continued the last one.
    totals.message(Some("c"), tokens(500, 0));
    total(&mut totals, TotalScope::ProcessSoFar("s"), tokens(5000, 480));
    assert_eq!(totals.sum(), tokens(5000, 480));
}

proptest! {
    #[test]
    fn what_is_told_is_the_most_that_was_ever_known_whenever_it_is_asked_for(
        reports in prop::collection::vec((0_u8..6, any::<bool>(), 0_u64..50, 0_u64..50), 0..20),
    ) {
        let (mut asked, mut unasked) = (UsageTotals::default(), UsageTotals::default());
        let (mut told, mut most) = (Usage::unknown(), Usage::unknown());
        for (id, is_total, input, output) in reports {
            for totals in [&mut asked, &mut unasked] {
                if is_total {
                    total(totals, TotalScope::ProcessSoFar("s"), tokens(input, output));
                } else {
                    totals.message(Some(&id.to_string()), tokens(input, output));
                }
            }
            told += asked.tell();
            most = super::most(most, asked.sum());
            prop_assert_eq!(told, most);
        }
        prop_assert_eq!(unasked.tell(), most);
    }

    #[test]
    fn the_order_of_messages_does_not_matter(
        mut reports in prop::collection::vec((0_u8..4, 0_u64..50, 0_u64..50), 0..12),
    ) {
        let sum = |reports: &[(u8, u64, u64)]| {
            let mut totals = UsageTotals::default();
            for (id, input, output) in reports {
                totals.message(Some(&id.to_string()), tokens(*input, *output));
            }
            totals.sum()
        };
        let forward = sum(&reports);
        reports.reverse();
        prop_assert_eq!(sum(&reports), forward);
    }
}
