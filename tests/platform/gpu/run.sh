#!/bin/sh
# run.sh BUILD: (CC, OPT and SAN as in the Makefile, ROOFTOP: the folder where rooftop was built) the emulated GPU under the genuine HSA runtimes: this system's own, and Debian 13's unpacked beside it.
# Builds the double of libhsakmt, the kernels and the tests for each, runs them all.
# Ends with "N passed, N failed, N skipped"; what cannot be had is skipped, with the reason.
set -eu
build=${1:-build/gpu}
here=tests/platform/gpu
count() { cat $here/test_*.c | grep -o '^TEST(test_\|^WORKS(\|{"test_' | wc -l; }
if [ -n "${ROOFTOP_GPU_HARDWARE:-}" ] && [ ! -e /dev/kfd ]; then
    echo "skipped: the GPU of this machine: there is no /dev/kfd"
    echo "0 passed, 0 failed, $(count) skipped"
    exit 0
fi
if ! scripts/install-deps.sh test gpu; then
    echo "skipped: the emulated GPU: the HSA runtime's development files or clang 19 are not installed"
    echo "0 passed, 0 failed, $(count) skipped"
    exit 0
fi
runtimes=system skipped=0
if $here/fetch.sh build/trixie-hsa; then
    # Sanitizers look at the doubles and at rooftop, which are the same under both: the newer runtime reaches more of them.
    runtimes="${RUNTIMES:-${SAN:+trixie}}"
    runtimes="${runtimes:-system trixie}"
else
    echo "skipped: the emulated GPU under Debian 13's runtime: its packages could not be downloaded"
    skipped=$(count)
fi
MAKEFLAGS='' make -s --no-print-directory -j"$(nproc)" -f $here/build.mk BUILD="$build" RUNTIMES="$runtimes" \
    CC="${CC:-cc}" OPT="${OPT:--O2 -g}" SAN="${SAN:-}" ROOFTOP="${ROOFTOP:-build/release}" ISAS="${ISAS:-gfx90a gfx942}"
of() { for test in $here/test_*.c; do basename "$test" .c | sed "s|^|$build/tests/$1/|"; done; }
tests=$(for runtime in $runtimes; do of "$runtime"; done)
# On hardware once, with the newer headers, and not what tests the emulation itself.
[ -z "${ROOFTOP_GPU_HARDWARE:-}" ] || tests=$(of "${runtimes##* }" | grep -v 'test_interpreter$\|test_faults$')
# The doubles' own findings, not what the runtimes leave behind at their end.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TEST_TIMEOUT=480
# AMD's runtime has a race of its own: under ASan a thread once freed what another had. Where that is all that failed, the
# tests run once more, and that is told.
runtimes_own() {
    awk '/ERROR: AddressSanitizer: attempting double-free/ { found++; first = 1 }
         first && /^ *#1 / { own += /libhsa-runtime64/; first = 0 }
         /^[0-9]+ passed, / { failed = $3 }
         END { exit !(found && found == own && found == failed) }' "$build/result"
}
if ! tests/run.sh $tests >"$build/result"; then
    if runtimes_own; then
        echo "note: the HSA runtime freed memory of its own twice: the tests run once more"
        tests/run.sh $tests >"$build/result" || { cat "$build/result"; exit 1; }
    else
        cat "$build/result"
        exit 1
    fi
fi
sed '$d' "$build/result" | awk '!/^skipped:/ || !seen[$0]++'
tail -1 "$build/result" | awk -v more="$skipped" '{ print $1 " passed, " $3 " failed, " $5 + more " skipped" }'
