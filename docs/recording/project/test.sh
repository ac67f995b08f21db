# Runs the tests, and exits with 0 if all of them pass.
. ./shapes.sh
sleep 0.6
failed=0
fails() { echo "FAIL $1"; failed=$((failed + 1)); }
[ "$(area 3 4)" = 12 ] || fails "area is width times height"
is_leap 2024 || fails "2024 is a leap year"
! is_leap 1900 || fails "1900 is not a leap year"
echo "3 tests, $failed failed"
[ "$failed" = 0 ]
