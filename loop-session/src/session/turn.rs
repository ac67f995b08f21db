//! A turn of the conversation, as it is seen and as it is kept.

use std::time::{Duration, Instant};

use loop_agents::chat::{Delta, Fill, Message, TurnEvent, TurnOutput};
use loop_core::{Usage, with_causes};
use loop_manifest::model::Model;
use loop_telemetry::{
    transcript::{Change, Entry},
    words::style::{DIM, paint},
};

use super::{
    state::Session,
    statistics::statistics,
    summary::{overfull, share},
};
use crate::InputError;

/// How many messages go along to a model that is asked once.
const MENTIONED: usize = 10;

impl Session {
    /// Says something to the model, and shows what it answers.
    ///
    /// # Errors
    /// Why there is no reply; the conversation is as it was then.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Result<(), InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let name = model.id().to_owned();
        let message = self.message(prompt);
        self.make_room(&message).await?;
        self.taken(message, &name, None).await
    }

    /// Asks another model this once. It hears the last messages, and its reply is part of the conversation.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn), and a name that is no model's.
    pub(crate) async fn mention(&mut self, name: &str, prompt: &str) -> Result<(), InputError> {
        let other = self.choose(name)?;
        if prompt.is_empty() {
            return Err(InputError::refused(format!("what {name} is to be asked is missing: @{name} TEXT")));
        }
        let (message, name) = (self.message(prompt), other.id().to_owned());
        let measure = self.dialogue.chat.measure_last(MENTIONED, Some(&message), other.window());
        if measure.fill() == Fill::Over {
            self.warn(&overfull(measure));
        }
        self.taken(message, &name, Some(&other)).await
    }

    /// The prompt, with what was attached for it.
    fn message(&mut self, prompt: &str) -> Message {
        let attachments = std::mem::take(&mut self.dialogue.attachments).into_iter();
        attachments.fold(Message::user(prompt), Message::with_attachment)
    }

    /// Takes the turn, and writes it down.
    async fn taken(&mut self, prompt: Message, name: &str, other: Option<&Model>) -> Result<(), InputError> {
        let before = self.dialogue.chat.history().messages().to_vec();
        self.log.write(Entry::Asked { prompt: prompt.clone(), model: name.to_owned() });
        let began = Instant::now();
        let mut said = Said::default();
        let done = self.run(&prompt, name, other, &mut said).await;
        let elapsed = began.elapsed();
        self.host().reply(&said.text);
        let output = match done {
            Ok(output) => output,
            Err(error) => {
                self.dialogue.attachments = prompt.attachments().to_vec();
                let (why, usage) = (with_causes(&error), Usage::unknown());
                self.log.write(Entry::Unanswered { why, usage, said: said.text });
                return Err(error);
            }
        };
        let change = Change::between(&before, self.dialogue.chat.history().messages());
        self.log.write(Entry::Answered { change, usage: output.usage, model: name.to_owned() });
        self.dialogue.pace.took(elapsed);
        self.dialogue.turns += 1;
        self.dialogue.usage += output.usage;
        let context = self.fullness_for(other);
        self.tell_of(name, &output, context.as_deref(), elapsed);
        Ok(())
    }

    /// Runs it, and shows it. Dropping a turn ends it, and leaves the conversation as it was.
    async fn run(
        &mut self,
        prompt: &Message,
        name: &str,
        other: Option<&Model>,
        said: &mut Said,
    ) -> Result<TurnOutput, InputError> {
        let stop = self.stop();
        let (doing, usual) = (format!("waiting for {name}"), self.dialogue.pace.usual());
        let mut view = self.show(name, doing, usual, self.fullness_for(other));
        let seed = self.context.execution.seed();
        let Self { dialogue, log, .. } = self;
        let mut turn = dialogue.chat.turn(prompt.text()).on_event(|event| {
            match event {
                TurnEvent::Calling(call) => log.calling(call),
                TurnEvent::Called(report) => log.called(report),
                _ => {}
            }
            said.hear(event);
            view.hear(event);
        });
        for attachment in prompt.attachments() {
            turn = turn.attach(attachment.clone());
        }
        if let Some(other) = other {
            turn = turn.asking(other.boxed(seed)).with_last(MENTIONED);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(InputError::Interrupted),
            done = turn.run() => Ok(done?),
        }
    }

    /// How full the context is of who answers, for a status line.
    fn fullness_for(&self, other: Option<&Model>) -> Option<String> {
        let Some(other) = other else { return self.fullness() };
        share(self.dialogue.chat.measure_last(MENTIONED, None, other.window()))
    }

    /// What it took, and what is not right about the reply.
    fn tell_of(&self, model: &str, output: &TurnOutput, context: Option<&str>, elapsed: Duration) {
        if output.text.trim().is_empty() {
            self.say(&paint(DIM, "(empty reply)"));
        }
        if output.out_of_rounds {
            self.warn("the model was still calling tools when its rounds were used up");
        }
        if output.truncated {
            self.warn("the reply was cut at the most tokens that a reply may have");
        }
        let model = self.host().one_line(model);
        self.say(&statistics(&model, output, context, elapsed));
    }
}

/// What the model has said in a turn so far.
#[derive(Debug, Default)]
struct Said {
    text: String,
    /// Where in it the reply under way begins.
    reply: usize,
    /// That reply is asked for again. What there was of it stays until there is more.
    is_void: bool,
}

impl Said {
    fn hear(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Delta(Delta::Text(text)) => {
                if std::mem::take(&mut self.is_void) {
                    self.text.truncate(self.reply);
                }
                self.text.push_str(text);
            }
            TurnEvent::Delta(Delta::Restarted) => self.is_void = true,
            TurnEvent::Calling(_) if self.text.len() > self.reply => {
                self.text.push_str("\n\n");
                self.reply = self.text.len();
            }
            _ => {}
        }
    }
}
