# cases.def to assembly: the code of case n lies at 256 n.
/^(S32|S64|V32|V64|MASK)\(/ {
    match($0, /"[^"]*"/)
    text = substr($0, RSTART + 1, RLENGTH - 2)
    # '|' also means "absolute" in operands: a separator stands before a mnemonic
    text = separate(text)
    if (isa == "gfx942") { gsub(/ glc/, " sc0", text) }
    printf ".p2align 8\n%s\ns_endpgm\n", text
}
function separate(text,    out) {
    while (match(text, /\|(s_|v_|ds_|global_|flat_|buffer_)[a-z]/)) {
        out = out substr(text, 1, RSTART - 1) "\n"
        text = substr(text, RSTART + 1)
    }
    return out text
}
