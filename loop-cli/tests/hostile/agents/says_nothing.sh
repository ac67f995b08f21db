# Prints nothing, and stays.
. "${0%/*}/lib.sh"
exec "$sh" "$here/lingers.sh" "$run"
