# Stops itself, and so hears no TERM.
kill -STOP $$
