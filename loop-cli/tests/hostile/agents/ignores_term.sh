# Ignores every signal that can be ignored, and stays.
trap '' TERM INT HUP QUIT
. "${0%/*}/lib.sh"
exec "$sh" "$here/lingers.sh" "$run"
