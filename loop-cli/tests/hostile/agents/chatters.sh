# Prints lines, one after the other, for ever.
while :; do
    echo "a line of what an agent thinks that somebody wants to know about its work"
done
