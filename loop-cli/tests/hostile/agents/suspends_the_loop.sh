# Leaves a daemon that carries nothing which it has inherited, and suspends the loop.
. "${0%/*}/lib.sh"
(cd / && "$env" -i "$setsid" "$(command -v prlimit)" --locks=12345 "$sh" "$here/lingers.sh" "$run" < /dev/null > /dev/null 2>&1 3>&- &)
arrived 1
kill -TSTP "$(the_loop)"
: < "$run/never"
