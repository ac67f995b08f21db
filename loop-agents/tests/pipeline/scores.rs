//! The scores that are read from replies.

use loop_agents::pipeline::{ConfidenceScore, ScoreMethod, ScoredReply};
use proptest::prelude::*;

/// Replies, the score and the method that are read from them, and the text that remains.
const STATED: [(&str, f64, ScoreMethod, &str); 28] = [
    ("A.\n{\"confidence\": 0.9}", 0.9, ScoreMethod::Json, "A."),
    ("A. {\"confidence\": 1}", 1.0, ScoreMethod::Json, "A."),
    ("A.\n```json\n{\n  \"confidence\": 0\n}\n```\n", 0.0, ScoreMethod::Json, "A."),
    ("A.\n~~~\n{\"reason\": \"r\", \"confidence\": 0.5}\n~~~", 0.5, ScoreMethod::Json, "A."),
    ("A.\n`{\"confidence\": 0.5}`", 0.5, ScoreMethod::Json, "A."),
    ("{\"a\": 1}\n{\"confidence\": 0.7}", 0.7, ScoreMethod::Json, "{\"a\": 1}"),
    ("Confidence: 100%\n{\"confidence\": 1.0}", 1.0, ScoreMethod::Json, "Confidence: 100%"),
    ("Confidence: 20%\nA.\n{\"confidence\": 1.0}", 1.0, ScoreMethod::Json, "Confidence: 20%\nA."),
    ("A.\n{\"confidence\": 3}\nConfidence: 0.4", 0.4, ScoreMethod::Stated, "A.\n{\"confidence\": 3}"),
    ("A.\nConfidence: 85%", 0.85, ScoreMethod::Stated, "A."),
    ("A.\nMy confidence: 1, as ever.", 1.0, ScoreMethod::Stated, "A.\nMy, as ever."),
    ("A.\n> 1. Overall confidence : 50%", 0.5, ScoreMethod::Stated, "A."),
    ("Confidence: 90%\nA.\nConfidence: 0.9\nB.", 0.9, ScoreMethod::Stated, "Confidence: 90%\nA.\nB."),
    ("{\"confidence\": 0.7}\nConfidence: 70%", 0.7, ScoreMethod::Stated, "{\"confidence\": 0.7}"),
    ("A.\n{\"confidence\": -0.0}", 0.0, ScoreMethod::Json, "A."),
    ("A.\nconfidence score = 92.5 %.", 0.925, ScoreMethod::Stated, "A."),
    ("A.\n**Confidence:** 8/10", 0.8, ScoreMethod::Stated, "A."),
    ("A.\n**Confidence Score**: `85/100`", 0.85, ScoreMethod::Stated, "A."),
    ("A.\n_Confidence: 0.9_", 0.9, ScoreMethod::Stated, "A."),
    ("A.\n- CONFIDENCE = **9 out of 10**", 0.9, ScoreMethod::Stated, "A."),
    ("A.\n## Confidence: 90 out of 100", 0.9, ScoreMethod::Stated, "A."),
    ("Confidence: 90%\nA.\nConfidence: 7\n", 0.9, ScoreMethod::Stated, "A.\nConfidence: 7"),
    ("A.\nConfidence: 100%\nConfidence: 150%", 1.0, ScoreMethod::Stated, "A.\nConfidence: 150%"),
    (
        "A.\n\n```rust\nfn a() {}\n```\n\nConfidence: .5",
        0.5,
        ScoreMethod::Stated,
        "A.\n\n```rust\nfn a() {}\n```",
    ),
    ("Confidence: 0.5\nA.\n\n\n\n\n\n\n\nB.", 0.5, ScoreMethod::Stated, "A.\n\n\n\n\n\n\n\nB."),
    ("A.\r\nConfidence: 0.5\r\n", 0.5, ScoreMethod::Stated, "A."),
    ("{\"confidence\": 0.5}", 0.5, ScoreMethod::Json, ""),
    ("Confidence: 0.90 (high)", 0.9, ScoreMethod::Stated, "(high)"),
];

/// Replies that state no score.
const UNSTATED: [&str; 41] = [
    "",
    "A.",
    "A.\n```\nConfidence: 90%\n```\nB.",
    "A.\n```rust\nlet confidence = 1.0;\n```",
    "A.\n\n    let confidence = 1.0;\n",
    "Write `let confidence = 1.0;` there.",
    "A.\n~~~\nconfidence = 1.0",
    "I cannot say Confidence: 100% here",
    "Lack of confidence: 100%",
    "Is the confidence: 100%?",
    "The confidence: 100%?",
    "A format such as confidence = 0.95 is asked for, but I do not know.",
    "Confidence: 10% Confidence: 100%",
    "Confidence: 10%\nA.\nConfidence: 90%\nB.",
    "{\"confidence\": 0.1}\nConfidence: 100%",
    "A.\n```json\n{\"confidence\": 0.1}\n```\nConfidence: 100%",
    "A. My confidence: 1, as ever.",
    "Confidence: 7",
    "Confidence: 101%",
    "Confidence: -0.5",
    "Confidence: 0.8-0.9",
    "Confidence: 1 of 10",
    "Confidence: 1/5",
    "Confidence: 1 percent",
    "Confidence: 0.5 Prozent",
    "Confidence: 1 von 10",
    "Confidence: 1 in 10",
    "Confidence: 1‰",
    "Confidence: 1:10",
    "Confidence: 1 on a scale of 1 to 10",
    "Confidence: 11/10",
    "Confidence: 0.5x",
    "Confidence: 1.2.3",
    "Confidence: high",
    "Overconfidence: 90%",
    "my_confidence: 90%",
    "{\"confidence\": \"0.9\"}",
    "{\"confidence\": 1, \"confidence\": 1}",
    "[{\"confidence\": 1}]",
    "{\"answer\": 0}",
    "Confidence: 0.5\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10",
];

#[test]
fn a_score_is_read_from_where_a_reply_states_it_and_is_removed() {
    for (reply, value, method, words) in STATED {
        let scored = ScoredReply::of(reply).unwrap_or_else(|| panic!("{reply:?} states a score"));
        assert_eq!(
            (scored.score.value, scored.score.method, scored.words.as_str()),
            (value, method, words),
            "{reply:?}"
        );
    }
    for reply in UNSTATED {
        assert_eq!(ScoredReply::of(reply), None, "{reply:?}");
    }
    let reason =
        ScoredReply::of("{\"confidence\": 0.5, \"reason\": \" a guess \"}").and_then(|it| it.score.reason);
    assert_eq!(reason.as_deref(), Some("a guess"));
}

#[test]
fn an_answer_can_be_nothing_but_a_number() {
    for (answer, value) in [
        ("0.7", Some(0.7)),
        (" **85%**.\n", Some(0.85)),
        ("9/10", Some(0.9)),
        ("8 out of 10", Some(0.8)),
        ("{\"confidence\": 0.6}", Some(0.6)),
        ("Confidence: 60%", Some(0.6)),
        ("7", None),
        ("about 0.7", None),
        ("", None),
    ] {
        let score = ConfidenceScore::answered(answer);
        assert_eq!(score.as_ref().map(|score| score.value), value, "{answer:?}");
        assert!(score.is_none_or(|score| score.method == ScoreMethod::Asked));
    }
    for phrase in ["I’M NOT SURE", "it is unclear", "It's possible", "this might be"] {
        assert_eq!(ConfidenceScore::guessed(phrase).value, 0.3, "{phrase}");
    }
}

proptest! {
    #[test]
    fn no_reply_breaks_the_search(reply in "([cC]onfidence|score|[:=*_`~{}\\[\\]\"% \n./-]|out of|1|0|9|é){0,24}") {
        if let Some(scored) = ScoredReply::of(&reply) {
            prop_assert!((0.0..=1.0).contains(&scored.score.value));
            prop_assert!(scored.words.len() < reply.len());
        }
        let _ = ConfidenceScore::answered(&reply);
    }
}
