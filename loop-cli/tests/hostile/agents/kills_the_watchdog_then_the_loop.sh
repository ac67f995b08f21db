# Kills the watchdog and then the loop, which is stopped first so that it cannot start another one. A swarm works on.
. "${0%/*}/lib.sh"
"$sh" "$here/swarm.sh" "$run" &
arrived 4
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
: < "$run/go"
kill -STOP "$loop"
kill -KILL "$watchdog"
kill -KILL "$loop"
exec "$sh" "$here/lingers.sh" "$run"
