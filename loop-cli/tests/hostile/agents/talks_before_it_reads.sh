# Prints more than a pipe holds before it reads a prompt that is larger than a pipe.
head -c 300000 /dev/zero | tr '\0' x
wc -c > read
