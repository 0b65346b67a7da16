# live.awk: makes of scripts/live.txt what the linker adds to its own script: functions in use side by side, and the
# constants of their files.
function object(name) { sub(/^src\//, "*/src/", name); sub(/\.[^.:]*$/, ".o", name); return name ~ /^\*/ ? name : "*" name }
{ file[NR] = object($1); words[NR] = $0; sub(/^[^ ]* ?/, "", words[NR]); own[NR] = $1 ~ /^src\// }
END {
    print "SECTIONS {\n  .text.live : {"
    for (i = 1; i <= NR; i++) {
        n = split(words[i], word, " ")
        line = ""
        for (j = 1; j <= n; j++)
            line = line " " (own[i] ? ".text." word[j] " .text." word[j] ".* .text.startup." word[j] : word[j])
        if (n)
            print "    " file[i] "(" substr(line, 2) ")"
    }
    print "  }\n} INSERT BEFORE .text;\nSECTIONS {\n  .rodata.live : {"
    for (i = 1; i <= NR; i++)
        print "    " file[i] "(.rodata .rodata.*)"
    print "  }\n} INSERT BEFORE .rodata;"
}
