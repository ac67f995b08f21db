# Prints what is no text: bytes that no UTF-8 has, half a sign, NULs.
printf 'a\377\376b\000\000c\303'
printf '\000\300\200' >&2
