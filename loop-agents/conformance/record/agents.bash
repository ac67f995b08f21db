# The agents that are recorded, and the scripted model that they talk to. To be sourced.
#
# The versions are pinned, since neither a recording nor a test says anything without one. Needs Node 20 or
# newer.

packages='aimock @copilotkit/aimock@1.43.0
pi @mariozechner/pi-coding-agent@0.73.1
codex @openai/codex@0.169.0
gemini @google/gemini-cli@0.61.0
opencode opencode-ai@1.18.33
claude @anthropic-ai/claude-code@2.1.197'

# install_agents <folder> <name ...>: each into a folder of its own in there.
install_agents() {
    local folder=$1 name package
    shift
    mkdir -p "$folder"
    while read -r name package; do
        case " $* " in *" $name "*) ;; *) continue ;; esac
        npm install --prefix "$folder/$name" --no-audit --no-fund --ignore-scripts "$package" || return
    done <<<"$packages"
    case " $* " in *" aider "*)
        python3 -m venv "$folder/aider" && "$folder/aider/bin/pip" install --quiet aider-chat==0.86.2 || return
        ;;
    esac
    case " $* " in *" claude "*) node "$folder/claude/node_modules/@anthropic-ai/claude-code/install.cjs" ;; esac
}

# program <folder> <name>: the path of an installed agent.
program() {
    case $2 in
    opencode) echo "$1"/opencode/node_modules/opencode-linux-*64/bin/opencode ;;
    aider) echo "$1/aider/bin/aider" ;;
    *) echo "$1/$2/node_modules/.bin/$2" ;;
    esac
}

# start_model <folder> <scratch>: starts the scripted model, and makes it every agent's own, with a home in the
# scratch folder. Sets `model` to its process and `url` to its address.
start_model() {
    local scratch=$2
    node "$(dirname "${BASH_SOURCE[0]}")/model.mjs" "$1/aimock" "$scratch/url" &
    model=$!
    until [ -s "$scratch/url" ]; do
        kill -0 "$model" || return
        sleep 0.1
    done
    url=$(cat "$scratch/url")
    export HOME="$scratch/home"
    write_settings
    export PI_OFFLINE=1 OPENAI_API_KEY=mock GEMINI_API_KEY=mock ANTHROPIC_API_KEY=mock
    export GOOGLE_GEMINI_BASE_URL=$url GEMINI_CLI_TRUST_WORKSPACE=true
    export ANTHROPIC_BASE_URL=$url CLAUDE_CODE_MAX_RETRIES=0 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1
    export OPENAI_API_BASE=$url/v1 AIDER_MODEL=openai/mock-1 AIDER_ANALYTICS_DISABLE=true AIDER_CHECK_UPDATE=false
    export AIDER_SHOW_MODEL_WARNINGS=false AIDER_GITIGNORE=false LITELLM_LOCAL_MODEL_COST_MAP=True
}

# write_settings: writes the settings of the agents into the home folder.
write_settings() {
    mkdir -p "$HOME/.pi/agent" "$HOME/.config/opencode" "$HOME/.gemini" "$HOME/.codex"
    # Dollars for a million tokens, as pi and opencode take them from their user.
    local cost='"input":3,"output":15'
    cat >"$HOME/.pi/agent/models.json" <<END
{"providers":{"mock":{"baseUrl":"$url/v1","api":"openai-completions","apiKey":"mock","models":[{"id":"mock-1","name":"mock-1",
"reasoning":false,"input":["text"],"contextWindow":128000,"maxTokens":4096,"cost":{$cost,"cacheRead":0.3,"cacheWrite":3.75}}]}}}
END
    echo '{"defaultProvider":"mock","defaultModel":"mock-1"}' >"$HOME/.pi/agent/settings.json"
    cat >"$HOME/.config/opencode/opencode.json" <<END
{"model":"mock/mock-1","small_model":"mock/mock-1","autoupdate":false,
"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$url/v1","apiKey":"mock"},"models":{"mock-1":
{"name":"mock-1","cost":{$cost,"cache_read":0.3,"cache_write":3.75},"limit":{"context":128000,"output":4096}}}}}}
END
    cat >"$HOME/.gemini/settings.json" <<END
{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"maxAttempts":1},"model":{"name":"gemini-2.5-flash"},
"privacy":{"usageStatisticsEnabled":false}}
END
    cat >"$HOME/.codex/config.toml" <<END
model = "mock-1"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "$url/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
END
}
