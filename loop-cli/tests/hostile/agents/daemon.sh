# Leaves a daemon: forked twice, in a session of its own, with the outputs that it inherited.
. "${0%/*}/lib.sh"
("$setsid" "$sh" "$here/lingers.sh" "$run" &)
arrived 1
