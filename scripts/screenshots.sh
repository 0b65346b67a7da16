#!/bin/sh
# screenshots.sh ROOFTOP DIR: the README's pictures, drawn by rooftop itself while a program of two busy threads runs.
set -eu
rooftop=$1 dir=$2
mkdir -p "$dir"
workload=${rooftop%/*}/bench/workload
for view in overview counters; do
    "$rooftop" --no-config --headless --format svg --utf8 --color true --view "$view" --size 120x40 --interval 0.5 \
        --frames 8 -o "$dir/$view.svg" -- sh -c "echo go | '$workload' 2 1500000000" 2>/dev/null
    echo "$dir/$view.svg"
done
