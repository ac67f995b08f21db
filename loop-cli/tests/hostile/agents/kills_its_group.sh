# Kills its group: itself, the shell that started it, and a child.
. "${0%/*}/lib.sh"
"$sh" "$here/lingers.sh" "$run" &
arrived 1
kill -KILL 0
