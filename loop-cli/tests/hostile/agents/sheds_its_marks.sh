# Leaves a daemon that carries nothing which it has inherited, and kills the watchdog and then the loop.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
(cd / && "$env" -i "$setsid" "$(command -v prlimit)" --locks=12345 "$sh" "$here/lingers.sh" "$run" < /dev/null > /dev/null 2>&1 3>&- &)
arrived 1
: < "$run/go"
kill -STOP "$loop"
kill -KILL "$watchdog"
kill -KILL "$loop"
