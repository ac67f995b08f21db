# Works in a group of its own, as everything does under timeout(1), and saves its work when it hears TERM.
. "${0%/*}/lib.sh"
timeout 1000 "$sh" -c "trap 'echo saved >> \"$run/saved\"; exit 1' TERM; while :; do sleep 0.05; done" worker "$run"
