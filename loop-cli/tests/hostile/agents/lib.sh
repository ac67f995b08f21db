# Shared by the hostile agents; not one of them. `$1` is the folder of the run: in the command line of
# everything that an agent leaves behind it tells whose that is.

here=${0%/*}
run=${1:?the folder of the run}
sh=$(command -v sh)
setsid=$(command -v setsid)
env=$(command -v env)

# A line comes through this pipe for everybody who is there. Open at both ends, it never waits.
exec 3<> "$run/there"

# Waits until this many are there.
arrived() {
    missing=$1
    while [ "$missing" -gt 0 ]; do
        read -r _ <&3
        missing=$((missing - 1))
    done
}

# Says the number of the loop under which this runs: the nearest ancestor of that name.
the_loop() {
    above=$$
    until [ "$(cat "/proc/$above/comm")" = loop ]; do
        above=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$above/status")
    done
    echo "$above"
}

# Says the number of the watchdog of this loop. The process calls itself `guardian`.
watchdog_of() {
    for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do
        case $(cat "/proc/$child/comm") in guardian) echo "$child" ;; esac
    done
}

# Says the folder of the control group of this process, or of another one.
group_of() {
    mount=$(sed -n 's/^[0-9]* [0-9]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
    echo "$mount$(sed -n 's/^0:://p' "/proc/$1/cgroup")"
}
