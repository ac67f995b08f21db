//! The live display: everything that appears while something runs, and the threads that print it.

mod canvas;
mod command_output;
mod input_echo;
mod live_output;
mod output_tail;
mod print_queue;
mod printer;
mod reply_writer;
mod run_panel;
mod run_reporter;
mod run_screen;
mod run_status;
mod status_board;

pub(in crate::view) use self::printer::PRINTER;
pub(crate) use self::{
    command_output::CommandOutput,
    input_echo::NoEchoGuard,
    live_output::{LiveOutput, LiveOutputs, OutputEnd, ends_output},
    output_tail::OutputTail,
    reply_writer::{ReplySender, ReplyWriter},
    run_panel::PanelContent,
    run_reporter::{EventWording, LaneReporter, RunReporter},
    run_screen::RunScreen,
    status_board::{StatusBoard, refresh_page, suspended},
};
