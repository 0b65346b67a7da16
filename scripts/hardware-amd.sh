#!/bin/bash
# hardware-amd.sh [OUT [ROW...]]: tries rooftop on this machine's AMD GPU: telemetry, bricks, profiles, and the tests of capture and replay, which
#   it builds. Prints a table of what was seen, failed or left out (docs/HARDWARE.md). Run it in a checkout that `make` has built.
# Exit status 1 if a row failed, 77 if there is no AMD GPU.
set -eu
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || { echo 'skipped: an AMD GPU: python3 is needed'; exit 77; }
build=${BUILD:-build/release}
[ $# -gt 0 ] || set -- "hardware-amd-$(date +%Y%m%d-%H%M%S)"
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
ln -s "$PWD/include" "$(realpath "$build")/librooftop.a" "$sources/"
python3 tests/platform/hardware/amd.py "$build/rooftop" "$sources" "$@"
