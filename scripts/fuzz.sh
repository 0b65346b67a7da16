#!/bin/sh
# fuzz.sh RUNS PROGRAM...: runs each libFuzzer program over its corpus (tests/fuzz/corpus/NAME, never written to) and RUNS
# inputs made from it. What it finds is kept below build/fuzz/found; new inputs below build/fuzz/corpus.
set -eu
runs=$1
shift
for program in "$@"; do
    name=${program##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$name" "build/fuzz/found"
    seeds=tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    echo "fuzz $name"
    if ! "$program" -runs="$runs" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -seed=1 -verbosity=0 \
        -print_final_stats=0 -close_fd_mask=1 -artifact_prefix="build/fuzz/found/$name-" \
        "build/fuzz/corpus/$name" $seeds 2>build/fuzz/log; then
        tail -60 build/fuzz/log
        echo "fuzz $name: failed; the input is in build/fuzz/found"
        exit 1
    fi
done
