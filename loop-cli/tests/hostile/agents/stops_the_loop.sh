# Stops the loop, and works on.
. "${0%/*}/lib.sh"
kill -STOP "$(the_loop)"
exec "$sh" "$here/lingers.sh" "$run"
