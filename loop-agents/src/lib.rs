#![doc = include_str!("../README.md")]

pub mod chat;
pub mod judge;
pub mod output;
pub mod process;
pub mod review;
pub mod shell;
pub mod tools;
pub mod usage;
