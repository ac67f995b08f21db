# A scripted agent: it repairs the first failing test that its prompt names, and reports what it "spent".
say() { sleep 0.8; echo "$1"; }
edit() { sed "$1" shapes.sh > new && mv new shapes.sh; }

prompt=$(cat)
case $prompt in
    *"FAIL area"*)
        say "The area is a product, not a sum."
        edit 's/\$1 + \$2/$1 * $2/'
        say "edited shapes.sh"
        ;;
    *"FAIL 1900"*)
        say "Only every fourth century is a leap year."
        edit 's/-eq 0 \]/-eq 0 ] \&\& { [ $(($1 % 100)) -ne 0 ] || [ $(($1 % 400)) -eq 0 ]; }/'
        say "edited shapes.sh"
        ;;
    *)
        say "Nobody has run the tests yet. I read shapes.sh first."
        ;;
esac
echo '{"input_tokens": 4200, "output_tokens": 310, "cost_usd": 0.02}' >> "$LOOP_USAGE_FILE"
sleep 0.4
