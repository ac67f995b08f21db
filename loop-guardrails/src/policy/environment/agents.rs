//! The known agents, and the variables that each needs to reach its model.

use crate::policy::command::simple_commands;

const ANTHROPIC: &[&str] = &["ANTHROPIC_*", "CLAUDE_CODE_OAUTH_TOKEN"];

const OPENAI: &[&str] = &["OPENAI_*", "CODEX_API_KEY"];

const GOOGLE: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];

/// The keys of vendors without an agent in this table. Each gives access only to models. Keys that also give access to
/// a cloud or a code host, such as `AWS_SECRET_ACCESS_KEY` or `GITHUB_TOKEN`, must be passed by their owner.
const OTHERS: &[&str] = &[
    "AI_GATEWAY_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "COHERE_API_KEY",
    "DASHSCOPE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_AI_API_KEY",
    "FIREWORKS_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "HUGGINGFACE_API_KEY",
    "MINIMAX_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "NVIDIA_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "TOGETHERAI_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
    "ZAI_API_KEY",
];

/// An agent, by the names of its program and of its package.
struct Agent {
    names: &'static [&'static str],
    own: &'static [&'static [&'static str]],
}

const AGENTS: &[Agent] = &[
    Agent { names: &["claude", "claude-code"], own: &[ANTHROPIC] },
    Agent { names: &["codex"], own: &[OPENAI] },
    Agent { names: &["gemini", "gemini-cli"], own: &[GOOGLE] },
    Agent { names: &["opencode"], own: &[ANTHROPIC, OPENAI, GOOGLE, OTHERS, &["OPENCODE_API_KEY"]] },
    Agent { names: &["pi"], own: &[ANTHROPIC, OPENAI, GOOGLE, OTHERS] },
    Agent { names: &["aider"], own: &[ANTHROPIC, OPENAI, GOOGLE, OTHERS, &["AIDER_*"]] },
];

/// Returns the names of the vendor variables for the agents in a shell command. A `*` at the end of a name matches any
/// ending.
pub(super) fn own_variables(command: &str) -> impl Iterator<Item = &'static str> {
    let started = simple_commands(command);
    let is_started = move |agent: &&Agent| started.iter().any(|it| agent.is(&it.program));
    AGENTS.iter().filter(is_started).flat_map(|agent| agent.own.iter().copied().flatten().copied())
}

/// Returns the known agents that a shell command starts, by their usual names.
///
/// ```
/// use loop_guardrails::policy::environment::known_agents;
///
/// assert_eq!(known_agents("cd web && npx @openai/codex@latest exec -"), ["codex"]);
/// assert!(known_agents("echo claude").is_empty());
/// ```
pub fn known_agents(command: &str) -> Vec<&'static str> {
    let started = simple_commands(command);
    let is_started = |agent: &&Agent| started.iter().any(|it| agent.is(&it.program));
    AGENTS.iter().filter(is_started).filter_map(|agent| agent.names.first().copied()).collect()
}

impl Agent {
    /// Returns whether `program` is this agent: `codex`, or `codex@latest` for a package runner.
    fn is(&self, program: &str) -> bool {
        let name = program.split_once('@').map_or(program, |(name, _)| name);
        self.names.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::EnvironmentPolicy, *};

    fn sees(command: &str, variable: &str) -> bool {
        EnvironmentPolicy::new().of_agent(command).lets_see(variable.as_ref(), "x".as_ref())
    }

    #[test]
    fn every_agent_sees_every_key_of_its_own_by_any_of_its_names() {
        for agent in AGENTS {
            for name in agent.names {
                for own in agent.own.iter().copied().flatten() {
                    let variable = own.replace('*', "API_KEY");
                    let command = format!("cd x && timeout 60 /bin/{name} -p");
                    assert!(sees(&command, &variable), "{name} {variable}");
                    assert!(!sees("other-agent", &variable), "{variable}");
                }
                assert!(!sees(name, "GITHUB_TOKEN") && !sees(name, "AWS_SECRET_ACCESS_KEY"));
            }
        }
    }

    #[test]
    fn no_agent_of_one_vendor_sees_the_key_of_another() {
        let keys =
            [("claude", "ANTHROPIC_API_KEY"), ("codex", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")];
        for (agent, _) in keys {
            for (owner, key) in keys {
                assert_eq!(sees(agent, key), agent == owner, "{agent} {key}");
            }
        }
    }

    #[test]
    fn a_word_that_is_no_program_is_no_agent() {
        for command in ["echo claude", "claude.sh", "my-claude", "cat claude | sort", "'claude -p'"] {
            assert!(!sees(command, "ANTHROPIC_API_KEY"), "{command}");
        }
    }

    #[test]
    fn a_package_that_is_run_is_its_agent() {
        assert!(sees("npx -y @anthropic-ai/claude-code -p", "ANTHROPIC_API_KEY"));
        assert!(sees("npx @openai/codex@latest exec -", "OPENAI_API_KEY"));
        assert!(sees("uvx --from aider-chat aider --yes", "MISTRAL_API_KEY"));
    }
}
