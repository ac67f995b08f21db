# Leaves a daemon that nothing leads back to: forked twice, in a session of its own, at another place,
# with an empty environment and nothing inherited.
. "${0%/*}/lib.sh"
(cd / && "$env" -i "$setsid" "$sh" "$here/lingers.sh" "$run" < /dev/null > /dev/null 2>&1 3>&- &)
arrived 1
