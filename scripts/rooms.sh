#!/bin/sh
# Every room of scripts/arrows.txt has a short README.md: 5 to 13 lines. Each file or folder in `backticks` must
# exist in the room, in src/ or in the tree. What it may include stands in the table only.
# docs/ARCHITECTURE.md must name every room and every capability, and only functions that exist.
#     scripts/rooms.sh [FOLDER]         of another tree than this, for its test
set -eu
cd "${1:-$(dirname "$0")/..}"
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
wrong() { echo "$1" | tee -a "$bad"; }

sed -n 's/^\([^#:]*\):.*/\1/p' scripts/arrows.txt | while read -r room; do
    readme=src/$room/README.md
    [ "$room" != main ] || readme=src/README.md
    [ -f "$readme" ] || { wrong "$readme: missing: it says what the room knows and where to begin reading"; continue; }
    lines=$(wc -l <"$readme")
    { [ "$lines" -ge 5 ] && [ "$lines" -le 13 ]; } || wrong "$readme: $lines lines, not 5 to 13"
done

find src -name README.md | LC_ALL=C sort | while read -r readme; do
    folder=${readme%/README.md}
    for name in $(grep -o '`[A-Za-z0-9_./-]*`' "$readme" | tr -d '`' | grep -E '/$|\.(c|h|cpp|def|toml|awk|md|sh|txt)$'); do
        [ -e "$folder/$name" ] || [ -e "src/$name" ] || [ -e "$name" ] || wrong "$readme: names $name, which does not exist"
    done
done

# The map names every room and capability, and only functions that src/ defines.
map=docs/ARCHITECTURE.md
for word in $(sed -n 's/^CAPABILITY(\([a-z_]*\),.*/\1/p' src/capabilities.def 2>/dev/null); do
    grep -q "^| $word |" "$map" || wrong "$map: its table lacks the capability $word"
done
sed -n 's/^\([^#:]*\):.*/\1/p' scripts/arrows.txt | while read -r room; do
    grep -Eq "^\|.*[ ,]$room[ ,]" "$map" || wrong "$map: its tables lack the room $room"
done
for name in $(grep -o '`[a-z0-9_]*()`' "$map" | tr -d '`()' | LC_ALL=C sort -u); do
    grep -rqE --include='*.[ch]' "^[a-z].*[ *]$name\(" src || wrong "$map: names $name(), which src/ does not define"
done
[ ! -s "$bad" ]
