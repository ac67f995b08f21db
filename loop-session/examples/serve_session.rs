//! Serves a session on a Unix socket: `serve_session /tmp/session.sock`. `nc -U /tmp/session.sock` talks to it.

use std::{env, error::Error, io, pin::pin};

use loop_agents::process::Supervisor;
use loop_core::{CancellationToken, with_causes};
use loop_manifest::{ExecutionContext, model::ConversationOptions, settings::Settings};
use loop_session::{ApprovalQuestion, Session, SessionHost, SessionOutput, is_loop, jobs::SessionScheduler};
use loop_telemetry::words::plain;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{UnixListener, unix::OwnedReadHalf},
    select,
    sync::mpsc::{UnboundedSender, unbounded_channel},
};

/// Sends everything that the session shows to the client.
struct Client(UnboundedSender<String>);

impl SessionOutput for Client {
    fn say(&self, text: &str) {
        // When the client has left, nobody reads this.
        let _ = self.0.send(plain(text).into_owned() + "\n");
    }

    fn warn(&self, text: &str) {
        self.say(&format!("warning: {text}"));
    }

    fn reply(&self, text: &str) {
        self.say(text);
    }
}

type Input = Lines<BufReader<OwnedReadHalf>>;

/// Carries out a line. Meanwhile the client answers questions of tools, and `/stop` ends the line.
async fn perform(session: &mut Session, line: &str, input: &mut Input, is_typed: bool) -> io::Result<()> {
    let (stop, host) = (CancellationToken::new(), session.host().clone());
    let mut questions = (is_typed && !is_loop(line)).then(|| session.approvals().open());
    let mut open: Option<ApprovalQuestion> = None;
    let mut acting = pin!(session.run_line(line, stop.clone()));
    let done = loop {
        select! {
            done = &mut acting => break done,
            next = input.next_line() => match (open.take(), next?) {
                (None, None) => {
                    stop.cancel();
                    break acting.await;
                }
                (_, Some(line)) if line.trim() == "/stop" => {
                    stop.cancel();
                    break acting.await;
                }
                (Some(question), answer) => open = question.answered(answer.as_deref(), &host),
                (None, Some(_)) => host.say("busy: /stop ends this"),
            },
            Some(question) = async { questions.as_mut()?.recv().await }, if open.is_none() => {
                open = question.show(&host);
            }
        }
    };
    if let Err(error) = done {
        host.warn(&with_causes(&error));
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let socket = UnixListener::bind(env::args().nth(1).ok_or("name a socket")?)?;
    let (read, mut write) = socket.accept().await?.0.into_split();
    let (texts, mut shown) = unbounded_channel::<String>();
    let writer = tokio::spawn(async move {
        while let Some(text) = shown.recv().await {
            write.write_all(text.as_bytes()).await?;
        }
        io::Result::Ok(())
    });
    let (folder, run) = (env::current_dir()?, Supervisor::new(format!("socket-{}", std::process::id())));
    let settings = Settings::load(&folder, |name| env::var_os(name))?;
    let cx = ExecutionContext::new(folder, run)?.with_variables(env::vars_os());
    let mut session =
        Session::open(ConversationOptions::default(), settings, cx, SessionHost::new(Client(texts)))?;
    session.start(None).await?;
    let (mut input, mut jobs) = (BufReader::new(read).lines(), SessionScheduler::start(session.jobs()));
    while !session.is_over() {
        jobs.set_free(true, session.has_model());
        let next = select! {
            line = input.next_line() => line?.map(Ok),
            due = jobs.due() => Some(Err(due)),
        };
        jobs.set_free(false, session.has_model());
        match next {
            None => break,
            Some(Ok(line)) => perform(&mut session, &line, &mut input, true).await?,
            Some(Err(due)) if due.begins().await => {
                session.say(&due.heading());
                perform(&mut session, due.prompt(), &mut input, false).await?;
            }
            Some(Err(_)) => {}
        }
    }
    session.end();
    drop((session, jobs));
    writer.await??;
    Ok(())
}
