# Leaves a child in the background that holds its outputs open.
. "${0%/*}/lib.sh"
"$sh" "$here/lingers.sh" "$run" &
arrived 1
