# Leaves a child in the background that has closed everything: no pipe's end tells of it.
. "${0%/*}/lib.sh"
"$sh" "$here/lingers.sh" "$run" <&- >&- 2>&- 3>&- &
arrived 1
