//! A run as a page for a browser.
//!
//! A table of forty rows in a terminal does not show that the cost doubled after midnight, and a terminal cannot be
//! sent to somebody. So there is a page: one file that needs no other, that no network is asked for, and in which
//! nothing runs. It is shown to people who do not expect that an agent speaks to them through it, so whatever an
//! agent or a check said is text in it and cannot become anything else: [`html`] is the only place in which markup is
//! made. What is secret is left out as on a terminal.
//!
//! A page has to open however long its run was. The charts have at most 240 bars each ([`series`]), of the iterations
//! the first 20 and the last 80 are listed ([`story`]), and of each output at most 16 KiB are shown, and 8 KiB of what
//! the check said about it. So no page has more than a few megabytes.

mod chart;
mod charts;
mod html;
mod page;
mod series;
mod story;

pub(crate) use self::{
    page::{Subject, page},
    story::Story,
};
