# Forks a hundred children, every third of which leaves the session.
. "${0%/*}/lib.sh"
child=0
while [ $child -lt 100 ]; do
    if [ $((child % 3)) -eq 0 ]; then
        ("$setsid" "$sh" "$here/lingers.sh" "$run" &)
    else
        "$sh" "$here/lingers.sh" "$run" &
    fi
    child=$((child + 1))
done
arrived 100
