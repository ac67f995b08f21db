# One of each kind that is hard to find, and itself: a child in the background, a daemon, and a daemon
# with an empty environment.
. "${0%/*}/lib.sh"
"$sh" "$here/lingers.sh" "$run" &
("$setsid" "$sh" "$here/lingers.sh" "$run" &)
(cd / && "$env" -i "$setsid" "$sh" "$here/lingers.sh" "$run" < /dev/null > /dev/null 2>&1 3>&- &)
exec "$sh" "$here/lingers.sh" "$run"
