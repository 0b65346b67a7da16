#!/bin/sh
# shape.sh: how long files and functions are, against the house's numbers: files stay under 200 lines and functions
# under 35; over 700 or 80 it fails. Tables of rows may be long: *_table.c, and
# a file that says "shape: table". It also fails where one line of src chooses two values by ?: in one declaration or
# in one sum: each gets a line.
set -eu
find src tests bench include \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) 2>/dev/null | LC_ALL=C sort | xargs awk '
function median(a, n) { return n ? a[int((n + 1) / 2)] : 0 }
function sort(a, n,    i, j, t) {
    for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
}
function end_of_file() {
    if (file == "") return
    if (file !~ /\.h$/) files[++nfiles] = lines
    if (lines > 700 && !table) { printf "%s: %d lines, 700 at most\n", file, lines; bad = 1 }
    else if (lines > 400 && !table) printf "note: %s has %d lines\n", file, lines
}
FNR == 1 { end_of_file(); file = FILENAME; table = FILENAME ~ /_table\.c$/; start = 0; head = 0 }
{ lines = FNR }
/shape: table/ { table = 1 }
/^[A-Za-z_].*\(/ { head = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
file ~ /^src/ && /\?.*\?/ {
    code = $0
    gsub(/"([^"\\]|\\.)*"/, "_", code)
    if (code ~ /= [^=;?]*\?[^;?]*,[^;?=]*[A-Za-z0-9_\]] = [^;?]*\?/ || code ~ /\? [^?:;,]* : [^?;,]*\) *[-+|*&]+ *\(.*\?/) {
        printf "%s:%d: two ?: in one declaration or sum\n", file, FNR
        bad = 1
    }
}
/^\{$/ { start = head ? head : FNR }
/^\}/ && start {
    n = FNR - start + 1
    if (file ~ /^src/) functions[++nfunctions] = n
    if (n > 80) { printf "%s:%d: %s has %d lines, 80 at most\n", file, start, name, n; bad = 1 }
    start = 0
}
END {
    end_of_file()
    sort(files, nfiles); sort(functions, nfunctions)
    printf "shape: %d .c files, median %d lines, 90th percentile %d, longest %d; ", nfiles, median(files, nfiles),
        files[int(nfiles * 0.9)], files[nfiles]
    printf "%d functions in src, median %d, 90th percentile %d, longest %d\n", nfunctions,
        median(functions, nfunctions), functions[int(nfunctions * 0.9)], functions[nfunctions]
    exit bad
}'
