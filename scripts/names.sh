#!/bin/sh
# names.sh [TREE]: a static function says what it does outside its file, too: its name has two words at least, and no other file of
# src has a function of that name. What only fills an operations table may be called as the table's member. Also refused: two `?:`
# in one expression, one inside the other or behind it; and `rc = rc ? rc : f()`, which is `if (rc == 0) rc = f()`. It lists
# what it refuses.
set -eu
cd "${1-.}"
find src -name '*.c' -o -name '*.h' | LC_ALL=C sort | xargs awk '
function is_interface(name, text) { # it is only named where a member is filled, never called
    return text ~ ("=[ \t]*&?" name "[ \t]*[,;}]") && text !~ ("[^a-z_0-9]" name "\\([^)]*\\)[ ;,)&|+*/<>=?:-]")
}
function end_of_file(    i, name) {
    for (i = 1; i <= n; i++)
        if (is_interface(own[i], text))
            filled[file, own[i]] = 1
    n = 0
    text = ""
}
function tell(place, what) { found[++count] = place ": " what }
FNR == 1 { end_of_file(); file = FILENAME; comment = depth = choices[0] = 0 }
{
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    gsub(/\047([^\047\\]|\\.)*\047/, "0", line)
    while (1) {
        if (comment) {
            if (!match(line, /\*\//)) { line = ""; break }
            line = substr(line, RSTART + 2)
            comment = 0
        }
        if (!match(line, /\/\*/)) break
        rest = substr(line, RSTART + 2)
        line = substr(line, 1, RSTART - 1)
        if (match(rest, /\*\//)) line = line " " substr(rest, RSTART + 2)
        else comment = 1
    }
    if (line ~ /^#/) next
    if (line ~ /(^|[ \t])rc = rc (\?|\|\|)/) tell(file ":" FNR, "rc = rc ? ...: write if (rc == 0)")
    text = text line "\n"
    for (rest = line; match(rest, /[?;{},()]/); rest = substr(rest, RSTART + 1)) {
        mark = substr(rest, RSTART, 1)
        if (mark == "(") choices[++depth] = 0
        else if (mark == ")") depth -= depth > 0
        else if (mark == ",") choices[depth] = 0
        else if (mark != "?") { depth = 0; choices[0] = 0 }
        else {
            choices[depth]++
            for (i = sum = 0; i <= depth; i++) sum += choices[i]
            if (sum == 2) tell(file ":" FNR, "two ?: in one expression")
        }
    }
}
/^(static |[a-z])[^=;]*\(/ && !/;$/ && FILENAME ~ /\.c$/ {
    name = $0
    gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\) */, "", name)
    sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    if (name == "" || name == "main" || (file, name) in seen) next
    seen[file, name] = 1
    files[name]++
    if ($0 ~ /^static /) { own[++n] = name; at[++all] = file ":" FNR; called[all] = name; in_file[all] = file }
}
END {
    end_of_file()
    for (i = 1; i <= all; i++) {
        if ((in_file[i], called[i]) in filled) continue
        if (called[i] !~ /_/) tell(at[i], called[i] "() is one bare word")
        else if (files[called[i]] > 1) tell(at[i], called[i] "() is a function of another file, too")
    }
    for (i = 1; i <= count; i++) print found[i]
    exit count > 0
}' || exit 1
