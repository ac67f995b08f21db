//! A turn of the conversation: its display and its record.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use loop_agents::chat::{Delta, Message, TurnEvent, TurnOutput};
use loop_core::{Usage, with_causes};
use loop_guardrails::policy::command::CommandPrefix;
use loop_manifest::{HistoryShare, ToolMode, model::Model};
use loop_telemetry::{
    transcript::{ConversationChange, TranscriptEntry},
    words::style::{DIM, paint},
};

use super::{state::Session, statistics::statistics, summary::share};
use crate::InputError;

/// The duration of a turn from which the person has probably looked away.
const LONG: Duration = Duration::from_mins(1);

impl Session {
    /// Sends a prompt to the model, and shows the reply.
    ///
    /// # Errors
    /// Returns why there is no reply; the conversation stays unchanged.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Result<(), InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let name = model.id().to_owned();
        let recalled = self.recall_at_start(prompt).await;
        self.retrieve_for(prompt, None, recalled).await?;
        let message = self.message(prompt);
        self.choose_named_files(None);
        let sent = self.dialogue.chat.as_sent(message.clone());
        if let Err(error) = self.summarise_if_full(&sent).await {
            self.dialogue.attachments = message.attachments().to_vec();
            return Err(error);
        }
        self.run_turn(message, &name, None).await
    }

    /// Asks another model once. It sees as much of the conversation as its settings say, and its reply joins the
    /// conversation.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn); also fails if no model has this name.
    pub(crate) async fn mention(&mut self, name: &str, prompt: &str) -> Result<(), InputError> {
        let other = self.choose(name)?;
        if prompt.is_empty() {
            return Err(InputError::refused(format!("the question for {name} is missing: @{name} TEXT")));
        }
        self.retrieve_for(prompt, Some(&other), 0).await?;
        let (message, name) = (self.message(prompt), other.id().to_owned());
        self.run_turn(message, &name, Some(&other)).await
    }

    /// Builds the message from the prompt and its attachments.
    fn message(&mut self, prompt: &str) -> Message {
        let attachments = std::mem::take(&mut self.dialogue.attachments).into_iter();
        attachments.fold(Message::user(prompt), Message::with_attachment)
    }

    /// Runs the turn, and records it.
    async fn run_turn(
        &mut self,
        prompt: Message,
        name: &str,
        other: Option<&Model>,
    ) -> Result<(), InputError> {
        let before = self.dialogue.chat.history().messages().to_vec();
        self.log.write(TranscriptEntry::Asked { prompt: prompt.clone(), model: name.to_owned() });
        let (began, _) = (Instant::now(), self.tools.approvals.take_waited());
        let mut reply_text = ReplyText::default();
        let done = self.run(&prompt, name, other, &mut reply_text).await;
        // The person's own time says nothing about the model.
        let elapsed = began.elapsed().saturating_sub(self.tools.approvals.take_waited());
        if done.is_err() {
            reply_text.break_off();
        }
        self.host().reply(&reply_text.text);
        if elapsed > LONG && self.tools.approvals.is_open() {
            self.host().call_back(&format!("{name} has ended its turn"));
        }
        let output = match done {
            Ok(output) => output,
            Err(error) => {
                self.dialogue.attachments = prompt.attachments().to_vec();
                let (why, usage) = (with_causes(&error), Usage::unknown());
                self.log.write(TranscriptEntry::Unanswered { why, usage, said: reply_text.text });
                return Err(error);
            }
        };
        let change = ConversationChange::between(&before, self.dialogue.chat.history().messages());
        self.log.write(TranscriptEntry::Answered { change, usage: output.usage, model: name.to_owned() });
        self.dialogue.turn_durations.add(elapsed);
        self.dialogue.turns += 1;
        self.dialogue.usage += output.usage;
        let context = self.context_share_for(other);
        self.tell_of(name, &output, context.as_deref(), elapsed);
        Ok(())
    }

    /// Runs and shows the turn. Dropping the future ends the turn and leaves the conversation unchanged.
    async fn run(
        &mut self,
        prompt: &Message,
        name: &str,
        other: Option<&Model>,
        reply_text: &mut ReplyText,
    ) -> Result<TurnOutput, InputError> {
        let stop = self.stop();
        let (doing, mean_duration) = (format!("waiting for {name}"), self.dialogue.turn_durations.mean());
        let mut view = self.show(name, doing, mean_duration, self.context_share_for(other));
        let seed = self.context.execution.seed();
        self.choose_named_files(other);
        let (mut refused, is_attended) = (Vec::new(), self.tools.approvals.is_open());
        let Self { dialogue, log, .. } = self;
        let mut turn = dialogue.chat.turn(prompt.text()).on_event(|event| {
            match event {
                TurnEvent::Calling(call) => log.calling(call),
                TurnEvent::Called(report) => {
                    log.called(report);
                    refused.extend(report.refused.clone());
                }
                _ => {}
            }
            reply_text.on_event(event);
            view.on_event(event);
        });
        for attachment in prompt.attachments() {
            turn = turn.attach(attachment.clone());
        }
        if let Some(other) = other {
            turn = turn.asking(other.boxed(seed)).with_last(sent_along(other));
        }
        let done = tokio::select! {
            biased;
            () = stop.cancelled() => Err(InputError::Interrupted),
            done = turn.run() => done.map_err(InputError::from),
        };
        drop(view);
        if !is_attended {
            refused.dedup();
            refused.iter().for_each(|entry| self.tell_how_to_allow(entry));
        }
        done
    }

    /// Tells how a command of an unattended turn would run next time.
    fn tell_how_to_allow(&self, entry: &CommandPrefix) {
        let entry = entry.to_string();
        let quoted = shlex::try_quote(&entry).map_or_else(|_| entry.clone(), Cow::into_owned);
        let quoted = self.host().one_line(&quoted);
        let hint = format!("`/allow {quoted}` allows it in this session, and `--keep` also later");
        self.say(&paint(DIM, hint));
    }

    /// Lets prompts carry the files that they name, if the answering model has no other way to read them.
    fn choose_named_files(&mut self, other: Option<&Model>) {
        let answering = other.or(self.dialogue.model.as_ref());
        let names_files = answering.is_some_and(|model| model.tools_in_use() == ToolMode::Inject);
        self.dialogue.chat.set_named_files(names_files.then(|| self.tools.workspace.clone()));
    }

    /// Returns the fill level of the answering model's context, for a status line.
    fn context_share_for(&self, other: Option<&Model>) -> Option<String> {
        let Some(other) = other else { return self.context_share() };
        share(self.dialogue.chat.measure_last(sent_along(other), None, other.window()))
    }

    /// Reports the cost of a turn, and problems with the reply.
    fn tell_of(&mut self, model: &str, output: &TurnOutput, context: Option<&str>, elapsed: Duration) {
        if output.text.trim().is_empty() {
            self.say(&paint(DIM, "(empty reply)"));
        }
        if output.out_of_rounds {
            self.warn(&format!(
                "the turn has used its rounds of calls ({}): type `continue` to go on, or raise `rounds` under `[chat]` in \
                 your settings",
                // The last one has only the reply.
                output.rounds.saturating_sub(1)
            ));
        }
        if output.truncated {
            self.warn("the reply was cut off at its token limit");
        }
        let model = self.host().one_line(model);
        let is_unknown = output.usage.cost.is_none();
        // Once is enough: the next turns cost as much.
        let tells = is_unknown && !std::mem::replace(&mut self.dialogue.told_unknown_cost, is_unknown);
        self.say(&statistics(&model, output, context, elapsed, tells));
    }
}

/// Returns how many messages go along to a model that is asked once.
fn sent_along(model: &Model) -> usize {
    match model.history() {
        HistoryShare::All => usize::MAX,
        HistoryShare::Last(messages) => messages,
        HistoryShare::None => 0,
    }
}

/// The model's text in a turn so far.
#[derive(Debug, Default)]
struct ReplyText {
    text: String,
    /// The offset at which the current reply begins.
    reply: usize,
    /// True if that reply is being requested again. Its text so far stays until more arrives.
    is_void: bool,
    /// True if that reply is complete.
    is_whole: bool,
}

impl ReplyText {
    fn on_event(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Delta(Delta::Text(text)) => {
                if std::mem::take(&mut self.is_void) {
                    self.text.truncate(self.reply);
                }
                self.text.push_str(text);
                self.is_whole = false;
            }
            TurnEvent::Replied => self.is_whole = true,
            TurnEvent::Delta(Delta::Restarted) => self.is_void = true,
            TurnEvent::Calling(_) if self.text.len() > self.reply => {
                self.text.push_str("\n\n");
                self.reply = self.text.len();
            }
            _ => {}
        }
    }

    /// Marks the end of a reply that broke off. At such a mark, redaction also finds the beginning of a secret.
    fn break_off(&mut self) {
        if self.text.len() > self.reply && !self.is_whole {
            self.text.push('…');
        }
    }
}
