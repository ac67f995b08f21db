# Two functions, each with a mistake.
area() { echo $(($1 + $2)); }
is_leap() { [ $(($1 % 4)) -eq 0 ]; }
