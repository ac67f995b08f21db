# What an agent leaves behind; not an agent itself. It says that it is there, and stays until it is
# killed. All that it needs is built into the shell, so it works in an empty environment, and has no
# children that would not carry its mark.

echo $$ >> "$1/lingering"
echo there > "$1/there"
# Nobody ever writes.
: < "$1/never"
