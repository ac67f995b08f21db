# Prints what a careless reader would carry out: as a terminal, as a shell, as a template.
printf '\033[2J\033[3J\033c\033]0;owned\007\033[31;5mred \302\233 \r' | tee printed
printf '%s\n' '$(touch owned) `touch owned` $HOME "; touch owned; " '\''; touch owned; '\''' | tee -a printed
printf '%s\n' '{goal} {prior_output} {evaluator_output} {prompt} %s %n \1 $& && touch owned' | tee -a printed
