# Closes its standard input at once, whatever its prompt.
exec <&-
