#!/bin/sh
# fuzz.sh RUNS PROGRAM...: runs each libFuzzer program over its corpus (tests/fuzz/corpus/NAME, never written to: a folder, or a
# file with an input in each line, as printf's %b reads it) and RUNS inputs made from it, or what FUZZ_SECONDS allow (0, the default: no limit), as many programs at once as there are CPUs.
# What it finds is kept below build/fuzz/found; new inputs below build/fuzz/corpus.
set -eu
if [ "$1" = --one ]; then
    name=${3##*/fuzz_} log=build/fuzz/log-${3##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$name" build/fuzz/found
    seeds=tests/fuzz/corpus/$name
    if [ -f "$seeds" ]; then
        rm -rf "build/fuzz/seeds/$name" && mkdir -p "build/fuzz/seeds/$name"
        n=0
        while IFS= read -r line; do printf '%b' "$line" >"build/fuzz/seeds/$name/$((n += 1))"; done <"$seeds"
        seeds=build/fuzz/seeds/$name
    fi
    [ -d "$seeds" ] || seeds=
    if ! "$3" -runs="$2" -max_total_time="${FUZZ_SECONDS:-0}" -max_len=65536 -timeout=20 -rss_limit_mb=1024 -seed=1 \
        -verbosity=0 -print_final_stats=0 -close_fd_mask=1 -artifact_prefix="build/fuzz/found/$name-" \
        "build/fuzz/corpus/$name" $seeds 2>"$log"; then
        tail -60 "$log"
        echo "fuzz $name: failed; the input is in build/fuzz/found"
        exit 1
    fi
    echo "fuzz $name"
    exit 0
fi
runs=$1
shift
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" --one "$runs" '{}'
