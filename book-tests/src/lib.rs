//! The guide in `book/`, as its tests see it.
//!
//! A guide that nobody runs is wrong within a month: a flag gets a new name, an output changes, a heading moves. So the
//! tests run everything that it shows. Its Rust blocks are the doctests of this crate. Its console blocks are sessions,
//! which `loop-cli/tests/guide` types into a shell, page by page, each in an empty folder. The command reads its
//! manifests and settings. Texts that it shares with the code are generated from there, and a test follows its links
//! after the build. This crate finds the blocks in the pages.

mod block;
mod hostile;
mod page;
mod reference;
mod session;

pub use self::{
    block::Block,
    hostile::hostile,
    page::{Page, pages},
    reference::reference,
    session::{Action, session},
};

/// The pages with Rust blocks, one module each, so that a failing block names its page.
#[cfg(doctest)]
mod rust_blocks {
    macro_rules! page {
        ($($name:ident = $path:literal;)*) => {
            $(#[doc = include_str!(concat!("../../book/src/", $path))] mod $name {})*
        };
    }
    page! {
        adapter = "adapter.md";
        composing = "composing.md";
        compiler_messages = "compiler-messages.md";
        evaluator = "evaluator.md";
        getting_started_crate = "getting-started-crate.md";
        guardrail = "guardrail.md";
        iteration = "iteration.md";
        pace = "pace.md";
        resuming = "resuming.md";
        schedules = "schedules.md";
        stop_condition = "stop-condition.md";
        testing = "testing.md";
    }
}
