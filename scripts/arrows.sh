#!/bin/sh
# Every #include "ROOM/file.h" in src/ must follow an arrow of scripts/arrows.txt; every room may include base/. The table
# is in order from the ground up: an arrow points to a room above it in the table, except one marked ^. An arrow that no
# include uses is an error too, so that the table stays true.
#     scripts/arrows.sh [FOLDER]        of another tree than this, for its test
set -eu
cd "${1:-$(dirname "$0")/..}"
find src -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' | LC_ALL=C sort | LC_ALL=C xargs -x -n 100000 -s 1000000 awk '
function room(path) { sub("/[^/]*$", "", path); return path }
function wrong(text) { print text; bad = 1 }
FNR == NR { # the table
    if ($0 ~ /^(#|$)/) next
    from = $1
    if (sub(":$", "", from) == 0) { wrong(FILENAME ":" FNR ": a line is ROOM: ROOM..."); next }
    known[from] = FNR
    for (i = 2; i <= NF; i++) {
        up = sub("\\^$", "", $i)
        if (!up && !($i in known)) wrong(FILENAME ":" FNR ": " from " stands before " $i ", which it includes")
        arrow[from, $i] = FNR
    }
    next
}
FNR == 1 {
    here = FILENAME; sub("^src/", "", here); here = index(here, "/") ? room(here) : "main"
    if (!(here in known) && !told[here]++) wrong(FILENAME ":1: the room " here " is not in scripts/arrows.txt")
}
/^[ \t]*#[ \t]*include[ \t]*"[^"]*\// {
    split($0, part, "\"")
    there = room(part[2])
    if (there == here || there == "base" || part[2] ~ /^rooftop\//) next
    used[here, there] = 1
    if (!((here, there) in arrow)) wrong(FILENAME ":" FNR ": " here " may not include " part[2] " (scripts/arrows.txt)")
}
END {
    for (key in arrow) if (!(key in used)) {
        split(key, ends, SUBSEP)
        wrong("scripts/arrows.txt:" arrow[key] ": nothing in " ends[1] " includes " ends[2] ": take the arrow away")
    }
    exit bad
}' scripts/arrows.txt || exit 1
