#!/bin/sh
# room.sh ROOM: builds and runs the tests of one room (engine/value) below build/room, with the sources that they need and no
# others: what defines the names that the linker misses, round by round. Called by `make T=ROOM`. Tests of the commands and those
# from end to end start rooftop: for them all of it is built, below build/release. In other rooms such tests are skipped.
set -eu
build=build/room
room=${1#tests/}
tests=$(find "tests/${room%/}" -name 'test_*.c' 2>/dev/null | LC_ALL=C sort)
[ "$tests" ] || { echo "make T=$1: there are no tests in tests/${room%/}" >&2; exit 2; }
case $room in
cli | cli/* | e2e | e2e/*)
    programs=$(printf 'build/release/%s\n' $tests | sed 's/\.c$//')
    # shellcheck disable=SC2086 -- lists of words
    ${MAKE:-make} --no-print-directory all $programs
    # shellcheck disable=SC2086
    BUILD=build/release exec tests/run.sh $programs
    ;;
esac
work=$(mktemp -d)
needed=$build/$(printf '%s' "$room" | tr / -).needed # what was needed last time
mkdir -p $build
{ cat "$needed" 2>/dev/null || true; } | while read -r file; do
    case " ${LEFT_OUT:-} " in *" $file "*) continue ;; esac
    [ ! -e "$file" ] || echo "$file"
done >"$needed.new"
mv "$needed.new" "$needed"
trap 'rm -rf "$work"' EXIT
defined="$(find src tests/support -name '*.c' -o -name '*.cpp' | LC_ALL=C sort | xargs awk -f scripts/defines.awk)
metric_table src/engine/live/metrics.toml
term_carried src/tui/term/carried.txt"
# With the HSA runtime's headers or without, one of two sources that define the same names.
defined=$(printf '%s\n' "$defined" | awk -v out=" ${LEFT_OUT:-} " '!index(out, " " $2 " ")')
objects() { # of the needed sources, those of src/brick, src or tests
    awk -v build="$build/" -v kind="$1" '{ sub(/\.[^.]*$/, ".o"); of = /^src\/brick/ ? "brick" : /^src/ ? "src" : "tests" }
        of == kind { printf " %s", build $0 }' "$needed"
}
# shellcheck disable=SC2086 -- lists of words
until ${MAKE:-make} --no-print-directory BUILD=$build -k TEST_LD= CORE="$(objects src)" BRICK="$(objects brick)" SUPPORT="$(objects tests)" \
    $(printf "$build/%s\n" $tests | sed 's/\.c$//') >"$work/log" 2>&1; do
    sed -n "s/.*undefined reference to .\([A-Za-z_0-9]*\).*/\1/p" "$work/log" | sort -u >"$work/missing"
    printf '%s\n' "$defined" | awk 'NR == FNR { missing[$1]; next } $1 in missing { print $2 }' "$work/missing" - >"$work/more"
    before=$(wc -l <"$needed")
    sort -u "$needed" "$work/more" -o "$needed"
    [ "$(wc -l <"$needed")" -gt "$before" ] || { cat "$work/log"; exit 1; }
done
printf '%s sources of src and tests/support are needed\n' "$(wc -l <"$needed")"
# shellcheck disable=SC2046 -- a list of words
BUILD=$build tests/run.sh $(printf "$build/%s\n" $tests | sed 's/\.c$//')
