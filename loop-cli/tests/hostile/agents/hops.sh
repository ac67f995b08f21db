# Leaves a daemon that is never the same process for long: each starts the next in a session of its own,
# and ends. After many of them it gives up, so that it ends even if nobody stops it.
. "${0%/*}/lib.sh"
hop=${2:-0}
if [ "$hop" -eq 0 ]; then
    ("$setsid" "$sh" "$0" "$run" 1 &)
    arrived 1
elif [ "$hop" -lt 5000 ]; then
    [ "$hop" -ne 20 ] || { echo $$ >> "$run/lingering"; echo there >&3; }
    "$setsid" "$sh" "$0" "$run" $((hop + 1)) &
fi
