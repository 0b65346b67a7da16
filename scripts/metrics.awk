# metrics.awk VALUE.C METRICS.TOML: the rows of src/engine/live/metrics.toml as C, for the build. Parsing TOML at each start
# would take as long as half of what comes before the first picture. Each line of the file becomes one line, so that the
# compiler's complaint of a group, a key or a text names the file and its line. tests/engine/live/test_metric_table.c
# compares the rows with what the TOML parser of --metrics reads.
function refuse(why) { print FILENAME ":" FNR ": " why > "/dev/stderr"; bad = 1; exit 1 }

FNR == NR { # [UNIT_HZ] = {"Hz", ...: how files spell the units
    if (/^ *\[UNIT_/) { split($0, part, "\""); name = $1; gsub(/[][]/, "", name); units["\"" part[2] "\""] = name }
    next
}
FNR == 1 {
    print "#include \"engine/live/metric.h\""
    print "const struct metric_def metric_table[] = {"
    print "#line 1 \"" FILENAME "\""
}
/^ *(#|$)/ { print ""; next }
/^\[\[metric\]\]$/ { print (rows++ ? "}, {" : "{"); next }
!/^[a-z_]+ *= *("([^"\\]|\\["\\])*"|[0-9.]+|true|false)$/ { refuse("write [[metric]], KEY = \"TEXT\" in one line, a number, true or false") }
!rows { refuse("this key is outside of [[metric]]") }
{
    key = value = $0
    sub(/ *=.*/, "", key)
    sub(/^[a-z_]+ *= */, "", value)
    if (key == "unit" && !(value in units)) refuse("there is no unit " value ": units stand in src/engine/value/value.c")
    if (key == "unit") value = units[value]
    if (key == "group") { gsub(/"/, "", value); value = "METRIC_" toupper(value) }
    gsub(/\?/, "\\?", value) # C reads ??( as another character
    print "." key " = " value ","
}
END {
    if (bad) exit 1
    print (rows ? "}, " : "") "{0}};"
}
