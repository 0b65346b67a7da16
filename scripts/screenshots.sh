#!/bin/sh
# screenshots.sh ROOFTOP DIR: the README's pictures, drawn by rooftop itself: this machine while a program of two busy
# threads runs, the counters of that program, tree, path, timeline and roofline of the transformer, the functions of rooftop
# watching everything often. replay.svg comes from tests/platform/gpu/demo.sh, after a few replays by hand.
set -eu
# Alone in a process namespace where that is allowed: what else runs here is nobody's business.
if [ -z "${ALONE:-}" ] && unshare -pf --mount-proc true 2>/dev/null; then
    ALONE=1 exec unshare -pf --mount-proc "$0" "$@"
fi
rooftop=$1 dir=$2
mkdir -p "$dir"
workload=${rooftop%/*}/bench/workload
picture() { # NAME ARGUMENTS...
    name=$1; shift
    "$rooftop" --no-config --headless --format svg --utf8 --color true --size 120x40 -o "$dir/$name.svg" "$@"
    echo "$dir/$name.svg"
}
echo go | "$workload" 2 40000000000 >"$dir/workload.out" & # read here, so that stopping it breaks no pipe
busy=$!
picture overview --view overview --interval 0.25 --frames 60
kill $busy 2>/dev/null || true
rm -f "$dir/workload.out"
picture counters --view counters -- sh -c "echo go | '$workload' 2 1000000000 >/dev/null"
for view in tree path timeline roofline; do
    picture $view --view $view -- "${rooftop%/*}/examples/transformer/transformer" --seconds 4 --quiet
done
PATH=$(cd "${rooftop%/*}" && pwd):$PATH picture functions --view functions --sample-rate 4000 \
    --run 'functions-mode; functions-mode' -- rooftop --no-config --headless --interval 0.05 --frames 200 \
    --format svg --size 400x120 -o "$dir/functions.out"
rm -f "$dir/functions.out"
