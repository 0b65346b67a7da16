# defines.awk: of C sources, the functions and variables that other files may use, each with its file: "NAME FILE". A definition
# begins in the first column here, and a prototype's last line ends with a semicolon. A macro in capitals defines its first word,
# which may stand for a name that begins with its folder's; LIST_TABLE is a table of fields.
function tell(name) { print name, FILENAME }
$1 == "#define" && $2 == "LIST_TABLE" { tell($3); next }
/^(static|typedef|extern|return|enum \{|union|struct [a-z_0-9]+ \{|[#}*\/ \t])/ { next }
/^[A-Z_0-9]+\([a-z]/ { name = $0; sub(/^[A-Z_0-9]*\(/, "", name); sub(/[^a-z_0-9A-Z].*/, "", name); tell(name)
    folder = FILENAME; sub(/\/[^\/]*$/, "", folder); sub(/.*\//, "", folder); tell(folder "_" name); next }
/^[a-z_A-Z][a-z_A-Z0-9 *]*[ *][a-z_A-Z0-9]+(\[.*\])*( =|;)/ { name = $0; sub(/ *(\[|=|;).*/, "", name); sub(/.*[ *]/, "", name); tell(name); next }
/^[a-z_A-Z].*[ *][a-z_A-Z0-9]+\(/ && !/;$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); tell(name) }
