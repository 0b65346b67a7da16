#!/bin/sh
# demo.sh BUILD: (CC as in the Makefile, ROOFTOP: the folder where rooftop was built) rooftop on an emulated GPU, for trying
# the replay menu without hardware: captures some launches of a small program, then opens the dashboard on them. Everything
# is below BUILD, nothing of the user's own rooftop is touched. DEMO: options for rooftop ("--headless" prints the list).
set -eu
build=${1:-build/gpu}
here=tests/platform/gpu
rooftop=${ROOFTOP:-build/release}
if ! scripts/install-deps.sh gpu; then
    echo "demo-gpu: the HSA runtime's development files or clang 19 are not installed" >&2
    exit 1
fi
runtime=trixie isa=gfx942
if ! $here/fetch.sh build/trixie-hsa; then
    echo "demo-gpu: Debian 13's HSA runtime could not be downloaded: this system's own it is. It is older than ROCm 6.0:" >&2
    echo "demo-gpu: launches can be captured and looked at, but not replayed." >&2
    runtime=system isa=gfx90a
fi
MAKEFLAGS='' make -s --no-print-directory -j"$(nproc)" -f $here/build.mk BUILD="$build" RUNTIMES="$runtime" \
    CC="${CC:-cc}" ROOFTOP="$rooftop" demo
mkdir -p "$build/demo"
build=$(cd "$build" && pwd) rooftop=$(cd "$rooftop" && pwd)
demo=$build/demo
run=$build/tests/$runtime
export XDG_STATE_HOME="$demo/state" XDG_CACHE_HOME="$demo/cache"
export ROOFTOP_HSA=1 # there is no KFD here that would make rooftop ask the runtime

# NAME KERNEL WORK...: a capture, made once and again with every other rooftop.
capture() {
    name=$1 kernel=$2
    shift 2
    [ "$demo/captures/$name" -nt "$rooftop/rooftop" ] && return
    rm -rf "$demo/captures/$name"
    echo "capturing $kernel: rooftop gpu capture --kernel $kernel --post -- app $*"
    "$rooftop/rooftop" capture --kernel "$kernel" --post -o "$demo/captures/$name" -- "$run/app" "$@" >"$demo/log" 2>&1 ||
        { cat "$demo/log" >&2; exit 1; }
}
mkdir -p "$demo/captures"
capture saxpy saxpy saxpy
capture matmul matmul_tiled matmul
capture histogram histogram histogram
capture list pointer_chase list -c 12
capture variables module_variable variables
capture increment increment increment -n 3

cat <<TEXT

An EMULATED GPU ($isa): results are right, times mean nothing.
Alt-r lists the captures. Other builds of the kernels, for comparing: $build/kernels/*.$isa.O[123].hsaco
TEXT
cd "$demo"
exec "$run/rooftop" --captures "$demo/captures" --view replay ${DEMO:-}
