#!/bin/sh
# Runs the given cmocka test programs and sums them up: "N passed, N failed, N skipped". Exit 1 on any failure.
pass=0 fail=0 skip=0
for t in "$@"; do
    out=$(LC_ALL=C.UTF-8 "$t" 2>&1 </dev/null)
    rc=$?
    p=$(printf '%s\n' "$out" | grep -c '^\[       OK \]')
    f=$(printf '%s\n' "$out" | grep -c '^\[  FAILED  \] [A-Za-z_0-9]*$')
    s=$(printf '%s\n' "$out" | grep -c '^\[  SKIPPED \] [A-Za-z_0-9]*$')
    if [ "$rc" -ne 0 ]; then
        [ "$f" -eq 0 ] && f=1
        printf '%s\n' "--- $t (exit $rc)" "$out"
    elif [ "$s" -gt 0 ]; then
        printf '%s\n' "$out" | grep -i 'skip'
    fi
    echo "${t#*/}: $p passed, $f failed, $s skipped"
    pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
done
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ]
