#![cfg_attr(feature = "shell", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "shell"),
    doc = "Agents and checks for `loop-core`. The front page is about the feature `shell`."
)]
#![cfg_attr(
    not(feature = "review"),
    allow(
        dead_code,
        unused_imports,
        clippy::allow_attributes,
        reason = "the modules of other features share these parts, and which are off is the user's choice"
    )
)]

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(feature = "embedding")]
pub mod embedding;
#[cfg(feature = "chat")]
pub mod facts;
#[cfg(feature = "judge")]
pub mod judge;
pub mod output;
#[cfg(feature = "pipeline")]
pub mod pipeline;
#[cfg(feature = "plan")]
pub mod plan;
pub mod process;
mod regular_file;
#[cfg(feature = "http")]
pub mod remote;
#[cfg(feature = "review")]
pub mod review;
#[cfg(feature = "chat")]
pub mod servers;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(any(feature = "genai", feature = "http"))]
mod tls;
#[cfg(feature = "tools")]
pub mod tools;
pub mod usage;
