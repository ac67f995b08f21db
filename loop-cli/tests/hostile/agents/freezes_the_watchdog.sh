# Moves the watchdog to a frozen control group, stops the loop, and works on.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
group=$(group_of "$loop")
frozen=${group%/*}/frozen-$$
echo "$frozen" > "$run/frozen"
mkdir "$frozen"
echo "$watchdog" > "$frozen/cgroup.procs"
echo 1 > "$frozen/cgroup.freeze"
kill -STOP "$loop"
exec "$sh" "$here/lingers.sh" "$run"
