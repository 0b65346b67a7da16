#!/bin/sh
# start.sh BUILD RUNTIME PROGRAM [ARGUMENT...]: runs a program on the emulated GPU, under the HSA runtime of this system
# (RUNTIME: system) or of Debian 13 (trixie), after `make test-gpu` has built them in BUILD. With ROOFTOP_GPU_HARDWARE set the
# same program runs on what GPU there is, under the runtime that is installed (docs/HARDWARE.md).
set -eu
build=$1 runtime=$2 program=$(command -v "$3")
shift 3
if [ -n "${ROOFTOP_GPU_HARDWARE:-}" ]; then
    [ -d /opt/rocm/lib ] || exec "$program" "$@"
    LD_LIBRARY_PATH=/opt/rocm/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$program" "$@"
fi
case $runtime in
system)
    LD_LIBRARY_PATH=$(cd "$build/system" && pwd) exec "$program" "$@"
    ;;
trixie)
    libraries=$(cd "$(dirname "$0")/../../../build/trixie-hsa/root/usr/lib/x86_64-linux-gnu" && pwd)
    exec "$libraries/ld-linux-x86-64.so.2" \
        --library-path "$(cd "$build/trixie" && pwd):$libraries:/usr/lib/x86_64-linux-gnu" "$program" "$@"
    ;;
*)
    echo "start.sh: RUNTIME is system or trixie" >&2
    exit 2
    ;;
esac
