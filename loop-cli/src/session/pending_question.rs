//! The question of a tool, and the input typed meanwhile.

use loop_session::{ApprovalQuestion, SessionHost};

use super::{
    editor::{Editor, WorkEnd},
    screen::AskedTime,
};

/// The question of a tool.
pub(super) enum PendingQuestion {
    None,
    /// It appears when the person is not typing a line.
    Hidden(ApprovalQuestion),
    Shown(ApprovalQuestion, AskedTime),
}

impl PendingQuestion {
    pub(super) fn show(question: ApprovalQuestion, editor: &Editor, host: &SessionHost) -> Self {
        let asked = editor.ask_meanwhile();
        question.show(host).map_or(Self::None, |question| {
            asked.seen();
            Self::Shown(question, asked)
        })
    }

    /// Shows a question again that was on the screen.
    pub(super) fn again(self, editor: &Editor, host: &SessionHost) -> Self {
        match self {
            Self::Shown(question, asked) => {
                drop(asked);
                Self::show(question, editor, host)
            }
            other => other,
        }
    }

    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::None)
    }
}

/// Input typed while a line runs.
pub(super) enum TypedMeanwhile {
    /// The answer to a question; `None` for Ctrl+D.
    Answer(Option<String>),
    /// No line is being typed any more.
    LineEnded,
    End(WorkEnd),
}

/// Waits for the answer to a question, for the end of a line that hides it, or for typed input that ends the work. Keeps
/// all other input.
pub(super) async fn typed_meanwhile(
    editor: &mut Editor,
    is_loop: bool,
    question: &PendingQuestion,
) -> TypedMeanwhile {
    match question {
        PendingQuestion::Shown(..) => {
            editor.answer().await.map_or_else(TypedMeanwhile::End, TypedMeanwhile::Answer)
        }
        PendingQuestion::Hidden(_) => {
            editor.until_free(is_loop).await.map_or(TypedMeanwhile::LineEnded, TypedMeanwhile::End)
        }
        PendingQuestion::None => TypedMeanwhile::End(editor.until_ended(is_loop).await),
    }
}
