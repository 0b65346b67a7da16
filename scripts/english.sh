#!/bin/sh
# Riddles that a plain sentence replaces: in README.md, docs/, the rooms' README.md, and in comments of C. Beside each
# pattern stands what to write instead. Commands and code (four blanks, ```) and quoted texts are not read.
#     scripts/english.sh [FOLDER]       of another tree than this, for its test
set -eu
cd "${1:-$(dirname "$0")/..}"
find README.md docs src include tests bench \( -name '*.md' -o -name '*.[ch]' \) 2>/dev/null | LC_ALL=C sort | xargs awk '
function refuse(pattern, instead) { refused[++n] = pattern; better[n] = instead }
BEGIN {
    refuse("[Ww]hoever", "name who does it: the user, the caller, every process")
    refuse("([Ee]very|any|some|no)body.s ", "name whose it is")
    refuse("[Ww]hat is merely", "say what it is")
    refuse("[a-z]+ that there (is|are)([ .,;:)]|$)", "leave out \"that there are\"")
    refuse("(^|[.] )Of (a|an|the|those) [a-z]+ that ", "begin with the subject: \"A node that ... has ...\"")
}
# The comments of a line of C, with the blanks and the star before them cut off; `inside` goes on to the next line.
function comments(line,    text, i) {
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    for (text = ""; line != ""; ) {
        if (inside) {
            i = index(line, "*/")
            text = text " " (i ? substr(line, 1, i - 1) : line)
            line = i ? substr(line, i + 2) : ""
            inside = !i
        } else if (match(line, "//|/[*]")) {
            inside = 1
            if (substr(line, RSTART, 2) == "//") {
                text = text " " substr(line, RSTART + 2)
                inside = 0
                break
            }
            line = substr(line, RSTART + 2)
        } else break
    }
    sub(/^[ *]+/, "", text)
    return text
}
FNR == 1 { code = inside = 0 }
FILENAME ~ /[.]md$/ && /^```/ { code = !code }
FILENAME ~ /[.]md$/ && (code || /^    |^```/) { next }
{
    text = FILENAME ~ /[.]md$/ ? $0 : inside || /\/[\/*]/ ? comments($0) : ""
    for (i = 1; i <= n && text != ""; i++)
        if (match(text, refused[i])) {
            print FILENAME ":" FNR ": " substr(text, RSTART, RLENGTH) ": " better[i]
            bad = 1
        }
}
END { exit bad }' || exit 1
