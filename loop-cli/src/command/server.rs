//! `loop server`: the model servers on this machine.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
};

use loop_agents::servers::PullProgress;
use loop_manifest::{ExecutionContext, model::ServerLine, settings::Settings};

use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, new_run_id, settings},
    usage,
};
use crate::{
    args::ServerArgs,
    exit,
    signals::Signals,
    view::{self, text},
};

pub(crate) fn exec(args: &ServerArgs) -> Result<ExitCode, Failure> {
    let words: Vec<_> = args.words.iter().map(String::as_str).collect();
    let line = ServerLine::parse(&words).map_err(|error| usage!("{error}"))?;
    let dir = dir(args.cwd.as_deref())?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let cx = execution_context(dir, new_run_id())?;
    let mut shown = ShownProgress { is_terminal: io::stderr().is_terminal(), last: String::new() };
    let done = block_on(async {
        let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
        let mut on_progress = |progress: &PullProgress| shown.show(progress);
        let done = tokio::select! {
            done = run(&line, &settings, &cx, &mut on_progress) => done,
            signal = signals.next() => Ok(ExitCode::from(exit::of_signal(signal))),
        };
        cx.stop_servers().await;
        done
    });
    shown.end();
    cx.supervisor().end();
    done
}

/// Carries out the line. If a server has started that ends with this command, it waits for the end of that server.
async fn run(
    line: &ServerLine,
    settings: &Settings,
    cx: &ExecutionContext,
    on_progress: &mut (dyn FnMut(&PullProgress) + Send),
) -> Result<ExitCode, Failure> {
    let text = line.run(settings, cx, on_progress).await?;
    view::print_or_warn(&text::printable(&text));
    if let Some(end) = line.started(settings, cx).await? {
        view::say("Ctrl+C ends it");
        end.cancelled().await;
        view::say("the server has ended by itself: `loop server logs` shows its last lines");
        return Ok(ExitCode::from(exit::FAILED));
    }
    Ok(ExitCode::from(exit::OK))
}

/// The progress of a download: one line that is drawn again at a terminal, and a line for each step elsewhere.
struct ShownProgress {
    is_terminal: bool,
    last: String,
}

impl ShownProgress {
    fn show(&mut self, progress: &PullProgress) {
        let line = text::printable(&progress.to_string());
        if self.is_terminal && line != self.last {
            // Without a terminal to write to, the result still follows.
            let _ = write!(io::stderr(), "\r{line}\x1b[K").and_then(|()| io::stderr().flush());
            self.last = line;
        } else if !self.is_terminal && progress.status != self.last {
            view::say(&text::printable(&progress.status));
            progress.status.clone_into(&mut self.last);
        }
    }

    fn end(&self) {
        if self.is_terminal && !self.last.is_empty() {
            let _ = writeln!(io::stderr());
        }
    }
}
