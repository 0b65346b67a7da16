#!/bin/sh
# live.sh [ROOFTOP]: writes scripts/live.txt anew: the sources whose code and tables the dashboard uses all the time.
# The linker puts those next to each other, so that only pages in use are resident. Needs valgrind and script (bsdutils).
set -eu
cd "$(dirname "$0")/.."
rooftop=${1:-build/release/rooftop}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(sleep 12; printf q) | TERM=xterm-256color COLORTERM=truecolor script -qec "stty cols 160 rows 48
    valgrind --tool=callgrind --callgrind-out-file=$log $rooftop --no-config" /dev/null >/dev/null 2>&1
{
    grep -aoE '^c?f[lie]=\([0-9]+\) .*' "$log" | sed -n 's|.*[ /]src/\(.*\.c\)$|src/\1|p'
    # tables without code of their own
    ls src/backends/backends.c src/backends/readers.c src/backends/perf_event/catalog*.c src/cli/options/command.c \
        src/cli/commands.c src/cli/run/watch.c src/engine/live/gpus_table.c src/engine/live/metrics.toml
} | grep -v '^src/main.c$' | LC_ALL=C sort -u | while read -r f; do [ ! -e "$f" ] || echo "$f"; done >"$log.new"
[ "$(wc -l <"$log.new")" -gt 50 ] || { echo "live.sh: $rooftop did not run long enough" >&2; exit 1; }
mv "$log.new" scripts/live.txt
