# Stops the loop by the signals with which a terminal stops what reads or writes in its background.
. "${0%/*}/lib.sh"
loop=$(the_loop)
kill -TTIN "$loop"
kill -TTOU "$loop"
exec "$sh" "$here/lingers.sh" "$run"
