# What the scripts need that install something and start a server. To be sourced, in the repository's folder, with
# `subject` naming what is tested.

scratch=$(mktemp -d)
# Whatever still runs in the background was started for the test.
trap 'jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$scratch"' EXIT

# Says that nothing is tested, and why, and ends the script without a failure.
skip() {
    printf '\n== SKIPPED: %s (%s)\n' "$subject" "$1"
    exit 0
}

# Says that something does not hold, shows the files that tell why, and ends the script.
fail() {
    local message=$1
    shift
    [ $# -eq 0 ] || cat "$@" >&2
    echo "$subject: $message" >&2
    exit 1
}

need_npm() {
    command -v npm >/dev/null || skip "npm is not installed"
    node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || skip "node is older than 20"
}

# When npm has failed: a skip if it is the network's fault, else a failure.
npm_failed() {
    npm ping >/dev/null 2>&1 || skip "npm reaches no registry"
    fail "npm install failed" "$1"
}

# await <command>: until it succeeds, for as long as the process `server` lives, whose output is in the scratch folder.
await() {
    until "$@" 2>/dev/null; do
        kill -0 "$server" 2>/dev/null || fail "the server has ended before it answered" "$scratch/server"
        sleep 0.1
    done
}
