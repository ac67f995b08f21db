# Lowers the limit on open files of the loop and of its watchdog, so that they cannot list processes, and leaves a
# daemon.
. "${0%/*}/lib.sh"
loop=$(the_loop)
until watchdog=$(watchdog_of "$loop"); [ -n "$watchdog" ]; do :; done
("$setsid" "$sh" "$here/lingers.sh" "$run" &)
arrived 1
prlimit --pid "$loop" --nofile=4:
prlimit --pid "$watchdog" --nofile=1:
