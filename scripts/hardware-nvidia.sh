#!/bin/bash
# hardware-nvidia.sh [OUT [ROW...]]: tries rooftop on this machine's NVIDIA GPU, and prints a table of what was seen, failed or left out
#   (docs/HARDWARE.md). About ten minutes; needs no network, and does without what is not there: nvcc, PyTorch, compute-sanitizer.
# hardware-nvidia.sh pack FILE.tar.gz: everything that takes, with the built program and the libraries that it loads, for a machine
#   that has neither sources nor a network: unpack it there, and run ./hardware-nvidia.sh.
# Exit status 1 if a row failed, 77 if there is no NVIDIA GPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

pack() { # FILE, whole path
    local folder build=${BUILD:-build/release}
    cd "$here/.."
    [ -x "$build/rooftop" ] && [ -e "$build/librooftop.a" ] || { echo "hardware-nvidia.sh: $build has no rooftop; build it first: make" >&2; exit 1; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    folder=$work/rooftop-hardware
    mkdir -p "$folder/lib/rooftop/ranges" "$folder/examples" "$folder/bin"
    cp "$build/rooftop" "$folder/bin/"
    strip --strip-debug "$folder/bin/rooftop" 2>/dev/null || true
    # The C library and its loader are the other machine's own.
    ldd "$build/rooftop" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt)\.so/ { print $3 }' | xargs -r cp -Lt "$folder/lib"
    cp "$build/librooftop-nvtx.so" "$folder/lib/rooftop/"
    cp -P "$build"/ranges/* "$folder/lib/rooftop/ranges/"
    cp -r "$build/librooftop.a" include scripts/hardware-nvidia.sh "$folder/"
    cp -r examples/cuda "$folder/examples/"
    cp -r tests/platform/hardware "$folder/checks"
    tar -C "$work" -czf "$1" rooftop-hardware
    echo "$1: $(du -h "$1" | cut -f1); there: tar -xf $(basename "$1") && rooftop-hardware/hardware-nvidia.sh"
}

if [ "${1:-}" = pack ]; then
    [ $# -eq 2 ] || { echo 'usage: hardware-nvidia.sh pack FILE.tar.gz' >&2; exit 2; }
    pack "$(realpath -m "$2")"
    exit
fi
command -v python3 >/dev/null || { echo 'skipped: an NVIDIA GPU: python3 is needed'; exit 77; }
[ $# -gt 0 ] || set -- "hardware-nvidia-$(date +%Y%m%d-%H%M%S)"
if [ -d "$here/checks" ]; then # unpacked
    export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    exec python3 "$here/checks/nvidia.py" "$here/bin/rooftop" "$here" "$@"
fi
cd "$here/.."
build=${BUILD:-build/release}
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
ln -s "$PWD/include" "$PWD/examples" "$(realpath "$build")/librooftop.a" "$sources/"
python3 tests/platform/hardware/nvidia.py "$build/rooftop" "$sources" "$@"
