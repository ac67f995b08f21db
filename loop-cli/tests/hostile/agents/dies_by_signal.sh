# Ends by a signal.
kill -SEGV $$
