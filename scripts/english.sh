#!/bin/sh
# Riddles in documents that a plain sentence replaces: README.md, docs/ and the rooms' README.md. Beside each pattern stands
# what to write instead. Commands and code (four blanks, ```) are not read.
#     scripts/english.sh [FOLDER]       of another tree than this, for its test
set -eu
cd "${1:-$(dirname "$0")/..}"
find README.md docs src -name '*.md' | LC_ALL=C sort | xargs awk '
function refuse(pattern, instead) { refused[++n] = pattern; better[n] = instead }
BEGIN {
    refuse("[Ww]hoever", "name who does it: the user, the caller, every process")
    refuse("([Ee]very|any|some|no)body.s ", "name whose it is")
    refuse("[Ww]hat is merely", "say what it is")
    refuse("[a-z]+ that there (is|are)([ .,;:)]|$)", "leave out \"that there are\"")
    refuse("(^|[.] )Of (a|an|the|those) [a-z]+ that ", "begin with the subject: \"A node that ... has ...\"")
}
FNR == 1 { code = 0 }
/^```/ { code = !code }
code || /^    / { next }
{
    for (i = 1; i <= n; i++)
        if (match($0, refused[i])) {
            print FILENAME ":" FNR ": " substr($0, RSTART, RLENGTH) ": " better[i]
            bad = 1
        }
}
END { exit bad }' || exit 1
