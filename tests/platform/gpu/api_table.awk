# Where each function is in the tables that a tools library is given, as C: hsa_api_trace.h itself is C++ only.
/^struct (CoreApiTable|AmdExtTable) / { table = $2; n = 0 }
table && /decltype\(/ {
    name = $0
    sub(/.*decltype\(/, "", name)
    sub(/\).*/, "", name)
    printf "#define %s_%s (16 + 8 * %d)\n", table, name, n++ # after the table's version
}
/^};/ { table = "" }
