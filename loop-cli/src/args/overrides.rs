//! Values on the command line that change a manifest, or replace it.

use clap::Args;
use loop_manifest::{Overrides, init::in_full_within};

// Values for keys of the manifest. `--agent` or `--model`, `--check` and `--max` together need no manifest.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "In place of the manifest's values, or without a manifest")]
pub(crate) struct OverrideArgs {
    /// Run this agent: a command, or a name that `init` knows
    #[arg(long, value_name = "CMD")]
    agent: Option<String>,
    /// Use this model, if the agent is not a command
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Run this check: exit code 0 means that the goal is met
    #[arg(long, value_name = "CMD")]
    check: Option<String>,
    /// Run the agent at most N times
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max: Option<String>,
    /// Set the goal [default: the check exits 0]
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// Set the agent's prompt [default: a generic prompt]
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Limit the cost of the run, in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    max_cost: Option<String>,
    /// Limit the time of the run: 90s, 30m, 1h30m
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    max_time: Option<String>,
    /// Accept --max-cost even if the agent reports no cost
    #[arg(long)]
    allow_unmetered: bool,
    /// Run the check before the first iteration
    #[arg(long)]
    check_first: bool,
    /// Run the agent first, whatever the manifest says
    #[arg(long, conflicts_with = "check_first")]
    no_check_first: bool,
    /// Run the agent and the check in a sandbox
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "require")]
    sandbox: Option<String>,
    /// Run this command after the run, however it ended
    #[arg(long, value_name = "CMD")]
    on_finish: Option<String>,
    /// Set any key: `guardrails.max_tokens=9`; lists in YAML
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Set a variable; texts refer to it as {var.NAME}
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
}

impl OverrideArgs {
    /// Returns the overrides of a command, such as `loop run`.
    pub(crate) fn overrides(&self, command: &str) -> Overrides {
        // Only a required sandbox holds in any case, so that an agent may drop its own.
        let is_confined = self.sandbox.as_deref() == Some("require");
        let agent = self.agent.as_deref().map(|agent| in_full_within(agent, is_confined));
        let flags = [
            ("--agent", agent.as_deref()),
            ("--model", self.model.as_deref()),
            ("--check", self.check.as_deref()),
            ("--max", self.max.as_deref()),
            ("--goal", self.goal.as_deref()),
            ("--prompt", self.prompt.as_deref()),
            ("--max-cost", self.max_cost.as_deref()),
            ("--max-time", self.max_time.as_deref()),
            ("--on-finish", self.on_finish.as_deref()),
            ("--sandbox", self.sandbox.as_deref()),
        ];
        let flags = flags.into_iter().filter_map(|(flag, value)| Some((flag, value?)));
        let mut overrides = flags.fold(Overrides::new(command), |all, (flag, value)| all.with(flag, value));
        let switches = [
            ("--allow-unmetered", self.allow_unmetered),
            ("--check-first", self.check_first),
            ("--no-check-first", self.no_check_first),
        ];
        for (switch, _) in switches.into_iter().filter(|(_, is_given)| *is_given) {
            overrides = overrides.with_switch(switch);
        }
        let named = self.set.iter().map(|value| ("--set", value));
        let named = named.chain(self.var.iter().map(|value| ("--var", value)));
        named.fold(overrides, |all, (flag, value)| all.with(flag, value))
    }
}
