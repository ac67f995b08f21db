# Writes until nothing more can be written, and leaves it so.
cat /dev/zero > full
test ! -s full || echo full
