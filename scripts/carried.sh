#!/bin/sh
# carried.sh LIST: the compiled terminfo entries of the terminals in LIST, as this machine's infocmp knows them, as C for the build.
set -eu
rows='' n=0
echo '#include "tui/term/term_impl.h"'
for name in $(grep -v '^#' "$1"); do
    hex=$(infocmp -x -Q1 "$name" 2>/dev/null | sed '/^#/d; s/^hex://' | tr -d '\n')
    [ "$hex" ] || continue
    n=$((n + 1))
    echo "static const unsigned char entry_$n[] = {$(echo "$hex" | sed 's/../0x&,/g')};"
    rows="$rows    {\"$name\", entry_$n, sizeof entry_$n},
"
done
echo 'const struct carried_entry term_carried[] = {'
printf '%s    {NULL, NULL, 0},\n};\n' "$rows"
