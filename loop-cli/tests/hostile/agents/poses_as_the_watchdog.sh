# Stops the loop, kills the watchdog, and works on under the command line of the watchdog.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
# The shell runs the file that is named like the run.
printf 'set -- "%s"\n. "%s/lingers.sh"\n' "$run" "$here" > "$LOOP_RUN_ID"
kill -STOP "$loop"
kill -KILL "$watchdog"
exec bash -c 'exec -a guardian bash "$0"' "$LOOP_RUN_ID"
