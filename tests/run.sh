#!/bin/sh
# Runs the given cmocka test programs and sums them up: "N passed, N failed, N skipped". Exit 1 on any failure.
# A program that crashes, or is still running after TEST_TIMEOUT seconds, is a failure.
pass=0 fail=0 skip=0
names() { printf '%s\n' "$out" | sed -n "s/^\[$1\] \([A-Za-z_0-9]*\)\$/\1/p" | sort -u; } # cmocka lists failures twice
count() { names "$1" | grep -c .; }
for t in "$@"; do
    out=$(LC_ALL=C.UTF-8 timeout -k 5 "${TEST_TIMEOUT:-300}" "$t" 2>&1 </dev/null)
    rc=$?
    p=$(count '       OK ') f=$(count '  FAILED  ') s=$(count '  SKIPPED ')
    if [ "$rc" -ne 0 ]; then
        [ "$f" -eq 0 ] && f=1
        printf '%s\n' "--- $t (exit $rc)" "$out"
    elif [ "$((p + s))" -eq 0 ]; then
        f=1
        printf '%s\n' "--- $t ran no test" "$out"
    elif [ "$s" -gt 0 ]; then
        printf '%s\n' "$out" | grep -i 'skip' | grep -v 'listed below\|SKIPPED TEST(S)' | awk '!/SKIPPED/ || !seen[$0]++'
    fi
    t=${t#*/}
    echo "${t#*/}: $p passed, $f failed, $s skipped"
    pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
done
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ]
