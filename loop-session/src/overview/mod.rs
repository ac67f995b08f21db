//! An overview of a folder: what is stored for it, and what a person could do next.

mod folder_size;
mod hints;
mod status;

pub use self::{
    hints::{Hint, MOST_HINTS, SessionFacts, hint_page, hints},
    status::{StoredData, WorkspaceStatus},
};
