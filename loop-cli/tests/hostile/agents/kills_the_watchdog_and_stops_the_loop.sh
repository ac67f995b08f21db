# Kills the watchdog, and stops the loop, so that nobody continues it; and works on.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
kill -STOP "$loop"
kill -KILL "$watchdog"
exec "$sh" "$here/lingers.sh" "$run"
