# Asks on the terminal. Where there is none it says so, and goes on.
if read -r _ < /dev/tty; then
    echo answered > answer
else
    echo "no terminal" > answer
fi
