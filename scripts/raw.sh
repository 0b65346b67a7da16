#!/bin/sh
# raw.sh [FILE...]: finds code that prints text without base/print.h, which keeps text from outside from reaching a
# terminal, a spreadsheet or a browser raw. It reads calls of C, not lines. In the code that makes documents, messages and pictures
#   printf and its kin have no %s                         print_text, print_json, print_csv, print_xml, print_dot, print_markdown
#   fputs, puts, fputc, fwrite get literals or numbers    print_put, print_put_n, print_lines
#   cJSON_Print is called in one place                    json_document, json_write (engine/value/document.h)
#   no entity and no \u is written by hand                the same functions
#   write() to stdout or stderr is for the files that own them
# A call that is safe says so with a comment "raw: why" on its lines or the one above; a file that only prints our own
# tables says so in its first two lines.
# Files are those that print, or the ones given (for the script's own test).
set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    set -- $(find src/engine src/export src/cli src/tui src/main.c src/backends/replay src/base -name '*.c' | LC_ALL=C sort |
        grep -v '^src/base/print')
fi
awk '
# Reads a call from its open parenthesis at p: its arguments into arg[1..], the place behind it as the result.
function call(p,    depth, c, n, from) {
    split("", arg)
    n = 1; depth = 0; from = p + 1
    for (; p <= length(text); p++) {
        c = substr(text, p, 1)
        if (c == "\"" || c == "\047") p = past(p, c)
        else if (c == "(" || c == "{" || c == "[") depth++
        else if (c == ")" || c == "}" || c == "]") { if (--depth == 0) break }
        else if (c == "," && depth == 1) { arg[n++] = substr(text, from, p - from); from = p + 1 }
    }
    arg[n] = substr(text, from, p - from)
    nargs = n
    return p
}
function past(p, quote) {
    for (p++; p <= length(text) && substr(text, p, 1) != quote; p++) if (substr(text, p, 1) == "\\") p++
    return p
}
function trim(s) { gsub(/^[ \t\n]+|[ \t\n]+$/, "", s); return s }
# Without its literals a text of our own has no letters left but those of a condition.
function own(s) {
    s = trim(s)
    gsub(/"([^"\\]|\\.)*"/, "\"\"", s)
    if (s ~ /^(number_text|unit_name|timeline_time)\(/) return 1
    while (s ~ /\?/) { # cond ? "" : rest
        if (s !~ /\? *\(?\n? *""/ && s !~ /\? *\(/) return 0
        sub(/^[^?]*\?/, "", s)
    }
    gsub(/[() \n:]|PRI[a-zA-Z0-9]+/, "", s)
    gsub(/EXPORT_JSON_SCHEMA|ROOFTOP_VERSION/, "", s)
    gsub(/[a-z>.-]+(==|&&)[A-Z_a-z>.-]*/, "", s)
    return s ~ /^("")+$/
}
# Characters of our own: literals, and choices between them.
function character(s) {
    gsub(/\047([^\047\\]|\\.)\047/, "@", s)
    s = trim(s)
    return s ~ /^@$/ || s ~ /\? *@ *: *@$/ || s ~ /\? *@ *: .*\? *@ *: *@$/
}
# The conversions of a format that print text; %*s of "" is only room.
function texts(k,    f, all) {
    f = arg[k]
    if (nargs == k + 2 && trim(arg[nargs]) == "\"\"") return 0
    return f ~ /%[-+ #0]*[0-9*]*(\.[0-9*]*)?s/
}
function told(from, to,    i) {
    if (raw[1] raw[2] ~ /raw: |raw:$/) return 1
    for (i = from; i <= to; i++) if (raw[i] ~ /raw: /) return 1
    return 0
}
function report(p, end, what,    first, last, s) {
    s = substr(text, 1, p); first = gsub(/\n/, "", s) + 1
    s = substr(text, 1, end); last = gsub(/\n/, "", s) + 1
    if (told(first - 1, last)) return
    printf "%s:%d: %s\n", file, first, what
    bad = 1
}
function look(    at, rest, name, p, end) {
    at = 1
    while (match(rest = substr(text, at), /[A-Za-z_][A-Za-z_0-9]*\(/)) {
        name = substr(rest, RSTART, RLENGTH - 1)
        p = at + RSTART + RLENGTH - 2
        at = p + 1
        if (name !~ /^(printf|fprintf|dprintf|vprintf|vfprintf|fputs|puts|fputc|putc|putchar|fwrite|perror|write|cJSON_Print[A-Za-z]*)$/) continue
        end = call(p)
        if ((name == "printf" && texts(1)) || ((name == "fprintf" || name == "dprintf") && texts(2)))
            report(p, end, name " with %s: which form has it? (base/print.h)")
        else if (name ~ /^vf?printf$/ || name == "perror")
            report(p, end, name ": print what is known about it (base/print.h)")
        else if ((name == "fputs" || name == "puts") && !own(arg[1]))
            report(p, end, name " of a text that may not be ours: print_put or print_text")
        else if (name ~ /^(fputc|putc|putchar)$/ && !character(arg[1]))
            report(p, end, name " of a byte that may not be ours: print_put or print_put_n")
        else if (name == "fwrite" && arg[3] !~ /text_encode/)
            report(p, end, "fwrite of a text that may not be ours: print_put_n")
        else if (name ~ /^cJSON_Print/)
            report(p, end, name ": json_document or json_write")
        else if (name == "write" && arg[1] ~ /STDOUT|STDERR|^ *[12] *$/)
            report(p, end, "write to a standard stream: exit_note, exit_report or output_write")
    }
    at = 1
    while (match(rest = substr(text, at), /"&(lt|gt|amp|quot|apos|#x?[0-9]+);"|"\\\\u%0/)) {
        p = at + RSTART - 1
        report(p, p, "an escape by hand: print_put has the form")
        at = p + RLENGTH
    }
}
# Comments go, what they say is kept by line; lines stay where they are.
function strip(line,    out, p, c) {
    out = ""
    for (p = 1; p <= length(line); p++) {
        c = substr(line, p, 1)
        if (inside) {
            if (substr(line, p, 2) == "*/") { inside = 0; p++ }
        } else if (substr(line, p, 2) == "/*") { inside = 1; p++ }
        else if (substr(line, p, 2) == "//") break
        else if (c == "\"" || c == "\047") {
            from = p
            for (p++; p <= length(line) && substr(line, p, 1) != c; p++) if (substr(line, p, 1) == "\\") p++
            out = out substr(line, from, p - from + 1)
        } else out = out c
    }
    return out
}
FNR == 1 { if (file != "") look(); file = FILENAME; text = ""; inside = 0; split("", raw) }
{ raw[FNR] = $0; text = text strip($0) "\n" }
END { look(); exit bad }' "$@"
