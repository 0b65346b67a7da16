#!/bin/sh
# changed.sh [--sources MAX] [PATH...]: the files (below PATH) that changed since SINCE, a commit: committed or not, or new. Without SINCE:
# since the last commit that is a day older than the newest one, which is before the change that is about to be delivered.
# Prints `.` where that cannot be known: no git, no history. Nothing is printed where nothing changed.
# --sources: C and C++ sources only, with one for each changed header that includes it (all where it cannot be known), MAX at
# most: where there are more, the newest commit's hash draws them, and a note says how many are left out.
set -eu
changed() {
    git rev-parse --git-dir >/dev/null 2>&1 || return 1
    since=${SINCE:-}
    if [ -z "$since" ]; then
        newest=$(git log -1 --format=%ct 2>/dev/null) || return 1
        since=$(git rev-list --first-parent -1 --before=$((newest - 86400)) HEAD)
        [ "$since" ] || return 1
    fi
    { git diff --name-only --diff-filter=d "$since" -- "$@" && git ls-files --others --exclude-standard -- "$@"; } | LC_ALL=C sort -u
}
if [ "${1-}" != --sources ]; then
    changed "$@" || echo .
    exit 0
fi
max=$2
shift 2
sources() {
    if ! files=$(changed "$@"); then
        find "${@:-.}" -name '*.c' -o -name '*.cpp' | sed 's|^\./||'
        return
    fi
    for file in $files; do
        case $file in
        *.c | *.cpp) echo "$file" ;;
        *.h) if [ -e "${file%.h}.c" ]; then echo "${file%.h}.c"; else git grep -lF "${file#*/}" -- '*.c' '*.cpp' | head -1; fi ;;
        esac
    done
}
list=$(sources "$@" | LC_ALL=C sort -u)
count=$(printf '%s\n' "$list" | grep -c . || true)
if [ "$count" -gt "$max" ]; then
    echo "note: $max of $count changed sources are looked at; the others by make nightly" >&2
    list=$(printf '%s\n' "$list" | shuf -n "$max" --random-source=/dev/fd/3 3<<END
$(yes "$(git rev-parse HEAD 2>/dev/null)" | head -n 20000)
END
    )
fi
printf '%s\n' "$list"
