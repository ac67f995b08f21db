# Prints 1 GiB (or as many bytes as it is told) in one line, and stays until it is let go, so that
# somebody can look at the loop.
head -c "${2:-1073741824}" /dev/zero | tr '\0' x
echo printed > "$1/printed"
: < "$1/go"
