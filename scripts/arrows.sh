#!/bin/sh
# Every #include "ROOM/file.h" in src/ must follow an arrow of scripts/arrows.txt; every room may include base/. The table
# is in order from the ground up: an arrow points to a room above it in the table, except one marked ^. An arrow that no
# include uses is an error too, so that the table stays true.
# Calls, and uses of data, follow the same arrows, one or several of them, which the object files tell. How a room below
# reaches what it must not know are the tables that a line "@ NAME..." lists; NAME* are all that begin so.
#     scripts/arrows.sh [FOLDER [BUILD]]     FOLDER: another tree than this, for its test; BUILD: where its objects are
set -eu
cd "${1:-$(dirname "$0")/..}"
build=${2:-build/release}
find src -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' | LC_ALL=C sort | LC_ALL=C xargs -x -n 100000 -s 1000000 awk '
function room(path) { sub("/[^/]*$", "", path); return path }
function wrong(text) { print text; bad = 1 }
FNR == NR { # the table
    if ($0 ~ /^(#|@|$)/) next
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

# The recorder brings memcpy() of its own, the program without glibc dlopen(): both are the C library's for all others.
# What include/rooftop declares is for every program. Objects whose source is gone do not count.
[ -d "$build/src" ] || exit 0
find "$build/src" -name '*.o' | LC_ALL=C sort | while read -r object; do
    source=${object#"$build"/}
    source=${source%.o}
    [ ! -f "$source.c" ] && [ ! -f "$source.cpp" ] || echo "$object"
done | LC_ALL=C xargs -x -n 100000 -s 1000000 nm -A -P -g | LC_ALL=C awk -v build="$build/" '
function room(path) { return sub("/[^/]*$", "", path) ? path : "main" }
function is_given(name,    n) {
    for (n in given) if (n == name || (sub(/\*$/, "", n) && index(name, n) == 1)) return 1
}
FNR == NR {
    if ($1 == "@") for (i = 2; i <= NF; i++) given[$i]
    if (sub(":$", "", $1) != 0 && $1 !~ /^#/)
        for (i = 2; i <= NF; i++) { sub("\\^$", "", $i); next_rooms[$1] = next_rooms[$1] " " $i }
    next
}
{
    file = substr($1, length(build "src/") + 1)
    sub(/\.o(\[.*\])?:$/, "", file)
    if ($2 ~ /^(mem|str|dl)[a-z]+$/ || $2 ~ /^rooftop_/) next
    if ($3 == "T" || ($3 ~ /^[RDB]$/ && !is_given($2))) { defined[$2] = defined[$2] " " room(file); mark_of[$2] = $3 == "T" ? "()" : "" }
    if ($3 == "U") { calls++; caller[calls] = file; name[calls] = $2 }
}
# Marks what a room may call: itself, and what it may include, and so on.
function mark(from, here,    list, n, i) {
    if ((from, here) in may) return
    may[from, here] = 1
    n = split(next_rooms[here], list, " ")
    for (i = 1; i <= n; i++) mark(from, list[i])
}
END {
    for (c = 1; c <= calls; c++) {
        n = split(defined[name[c]], rooms, " ")
        from = room(caller[c])
        if (n && !marked[from]++) { mark(from, from); may[from, "base"] = 1 }
        for (i = 1; i <= n && !((from, rooms[i]) in may); i++) ;
        if (i > n && n) { print "src/" caller[c] ".o: " from " may not " (mark_of[name[c]] ? "call " : "use ") name[c] mark_of[name[c]] " of " rooms[1] " (scripts/arrows.txt)"; bad = 1 }
    }
    exit bad
}' scripts/arrows.txt -
