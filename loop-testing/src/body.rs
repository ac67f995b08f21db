//! The body of a streamed reply.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Body;
use futures_core::Stream;
use tokio::sync::mpsc;

use crate::{
    answer::{Reply, ReplyEnd},
    dialect::Dialect,
};

/// Returns the body of a reply. A task sends one frame for each piece of the reply, and waits at the gate before each.
pub(crate) fn body(dialect: Dialect, reply: Reply) -> Body {
    let (frames, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        // If this fails, the client has disconnected.
        let _ = send(dialect, reply, &frames).await;
    });
    Body::from_stream(Frames(receiver, None))
}

type Sender = mpsc::Sender<io::Result<String>>;

async fn send(
    dialect: Dialect,
    reply: Reply,
    frames: &Sender,
) -> Result<(), mpsc::error::SendError<io::Result<String>>> {
    if let Some(opening) = dialect.opening(&reply) {
        frames.send(Ok(reply.spoilt(opening))).await?;
    }
    for (index, piece) in dialect.pieces(&reply).into_iter().enumerate() {
        if let Some(gate) = reply.gate.as_ref().filter(|_| index > 0) {
            gate.pass().await;
        }
        frames.send(Ok(reply.spoilt(piece))).await?;
    }
    let cut = reply.end != ReplyEnd::Properly;
    if let Some(usage) = dialect.usage(&reply).filter(|_| cut) {
        frames.send(Ok(reply.spoilt(usage))).await?;
    }
    match reply.end {
        ReplyEnd::Properly => frames.send(Ok(reply.spoilt(dialect.ending(&reply)))).await,
        ReplyEnd::Closes => Ok(()),
        ReplyEnd::Breaks => frames.send(Err(io::Error::other("as the script says"))).await,
        ReplyEnd::Stalls => {
            frames.closed().await;
            Ok(())
        }
    }
}

/// The frames for the connection, and an error that the next poll returns.
struct Frames(mpsc::Receiver<io::Result<String>>, Option<io::Error>);

impl Stream for Frames {
    type Item = io::Result<String>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(error) = self.1.take() {
            return Poll::Ready(Some(Err(error)));
        }
        match self.0.poll_recv(cx) {
            Poll::Ready(Some(Err(error))) => {
                // The connection flushes earlier frames only when this stream is pending.
                self.1 = Some(error);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            polled => polled,
        }
    }
}
