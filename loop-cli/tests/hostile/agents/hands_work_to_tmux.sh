# Leaves work to a tmux server that it starts.
. "${0%/*}/lib.sh"
tmux -S "$run/tmux" new-session -d "$sh" "$here/lingers.sh" "$run"
arrived 1
