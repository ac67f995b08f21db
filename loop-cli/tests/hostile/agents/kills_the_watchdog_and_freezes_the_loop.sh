# Leaves the control group of the run, freezes it with the loop inside, kills the watchdog, and works on.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
group=$(group_of "$loop")
echo $$ > "${group%/*}/cgroup.procs"
# The watchdog may thaw the loop until it is killed, and the loop may then start another one.
kill -STOP "$watchdog"
echo 1 > "$group/cgroup.freeze"
kill -KILL "$watchdog"
exec "$sh" "$here/lingers.sh" "$run"
