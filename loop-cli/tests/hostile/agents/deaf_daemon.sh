# Leaves a daemon that ignores TERM.
trap '' TERM HUP
. "${0%/*}/lib.sh"
("$setsid" "$sh" "$here/lingers.sh" "$run" &)
arrived 1
