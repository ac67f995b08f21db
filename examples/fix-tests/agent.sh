#!/bin/sh
# A scripted agent that replaces `claude -p` and similar agents, and needs no account.
# It reads its prompt from standard input and fixes the first failing test that the prompt names.
# It changes nothing until the prompt contains a test run.
set -eu

prompt=$(cat)

rewrite() { # SED-SCRIPT
    sed "$1" src/lib.rs > src/lib.rs.new
    mv src/lib.rs.new src/lib.rs
}

case $prompt in
    *"area_is_width_times_height"*)
        echo "The area is a product, not a sum."
        rewrite 's/width + height/width * height/'
        ;;
    *"centuries_are_leap_years_only_every_four"*)
        echo "Centuries are leap years only every four hundred years."
        rewrite 's/year % 4 == 0$/year % 4 == 0 \&\& (year % 100 != 0 || year % 400 == 0)/'
        ;;
    *)
        echo "I have not seen a test run yet; I wait for one."
        ;;
esac
