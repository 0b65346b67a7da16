#!/bin/sh
# Runs the given cmocka test programs, two more at once than there are CPUs (TEST_JOBS), and two of e2e/ beside. Sums them up:
# "N passed, N failed, N skipped". Exit 1 on any failure, and where no test passed at all. A program that crashes, or is
# still running after TEST_TIMEOUT seconds, is a failure; so is a test that is skipped without "skipped: WHY" before it.
# What failed beside other programs is run again, alone, at most twice: if it passes then, a note names it and what it said at first.
# However many they are: a machine that was stopped for a while, or too busy, makes many fail. Where three have failed alone, too, it
# is not the machine, and the others are not run again. A report of a sanitizer is final (but not leaks after a failed assertion: it
# left its test before the frees; nor that it got no memory itself). All failures stand once more at the end.
unset UPDATE_GOLDEN # tests compare pictures; only a program that is started by hand writes them anew
if [ "$1" = --one ]; then
    t=$2
    # cmocka lists failures twice; before a result may stand what a test printed without an end of line
    names() { printf '%s\n' "$out" | sed -n "s/^.*\[$1\] \([A-Za-z_0-9]*\)\$/\1/p" | sort -u; }
    count() { names "$1" | grep -c .; }
    without_reason() {
        printf '%s\n' "$out" | awk '/^\[ RUN / { why = 0 } /^skipped: ./ { why = 1 }
            /^\[  SKIPPED \]/ && !/listed below/ && !seen[$NF]++ && !why { printf " %s", $NF }'
    }
    # Into a file: a process that a failed test leaves behind would keep a pipe open for ever.
    log=$3.$(printf '%s' "$t" | tr / _)
    LC_ALL=C.UTF-8 timeout -k 5 "${TEST_TIMEOUT:-1200}" "$t" >"$log" 2>&1 </dev/null
    rc=$?
    out=$(cat "$log")
    rm -f "$log"
    p=$(count '       OK ') f=$(count '  FAILED  ') s=$(count '  SKIPPED ')
    report= silent=$(without_reason)
    final='runtime error:|(Address|Thread)Sanitizer'
    [ "$f" -eq 0 ] && final="$final|LeakSanitizer"
    if [ "$rc" -ne 0 ] && [ "$4" ] &&
        ! printf '%s\n' "$out" | grep -vE '^SUMMARY: AddressSanitizer: .* leaked in |Sanitizer failed to allocate ' | grep -qE "$final"; then
        printf '%s\n' "$t" >"$4/$(printf '%s' "$t" | tr / _)"
    fi
    if [ "$rc" -ne 0 ]; then
        [ "$f" -eq 0 ] && f=1
        report="--- $t (exit $rc)
$out
"
    elif [ "$((p + s))" -eq 0 ]; then
        f=1
        report="--- $t ran no test
$out
"
    elif [ -n "$silent" ]; then
        f=$(set -- $silent && echo $#) s=$((s - f))
        report="--- $t: skipped without saying why:$silent
"
    elif [ "$s" -gt 0 ]; then
        report="$(printf '%s\n' "$out" | grep '^skipped: ' | sort | uniq -c | sed 's/^ *1 //; s/^ *\([0-9]*\) \(skipped: .*\)/\2 (\1 tests)/')
"
    fi
    t=${t#*/}
    report="$report${t#*/}: $p passed, $f failed, $s skipped"
    printf '%s\n' "$report" >"$3/$(printf '%s' "$t" | tr / _)"
    printf '%s\n' "$report" # not cat: two at once that copy ranges overwrite each other's lines in a file
    exit 0
fi
set -- $(printf '%s\n' "$@" | grep -v '\.[do]$') # "test_*" names what they are made of, too
results=$(mktemp -d) && again=$(mktemp -d) || exit 1
trap 'rm -rf "$results" "$again"' EXIT
trap 'exit 1' INT TERM
all_of() { xargs -P "$1" -I '{}' sh "$0" --one '{}' "$results" "$again"; }
# Many wait for a while, so there are more than CPUs. End to end, those wait most of their time, so they have two lanes of their own, beside the others'.
jobs=${TEST_JOBS:-$(($(nproc) + 2))} others=$(printf '%s\n' "$@" | grep -v '/e2e/')
if [ "$jobs" -gt 1 ] && printf '%s\n' "$@" | grep -q '/e2e/'; then
    printf '%s\n' "$@" | grep '/e2e/' | all_of 2 &
elif [ "$jobs" -le 1 ]; then
    others=$(printf '%s\n' "$@")
fi
[ -z "$others" ] || printf '%s\n' "$others" | all_of "$jobs"
wait
failed() { sed -n '/^--- /,$p' "$1" | grep -vE '^\[ +(OK|RUN|PASSED) |^\[=' | head -40; }
set -- $# $(cat "$again"/* 2>/dev/null)
alone=0 # have failed
for t in $(shift; echo "$@"); do
    [ $alone -lt 3 ] || break
    of=$results/$(printf '%s' "${t#*/}" | tr / _)
    first=$(failed "$of")
    for times in once twice; do
        echo "again, alone: $t"
        rm -f "$again"/*
        sh "$0" --one "$t" "$results" "$again"
        grep -q '^--- ' "$of" || printf 'note: %s failed beside others and passed alone (tried %s); at first:\n%s\n' "$t" "$times" "$first"
        [ -e "$again/$(printf '%s' "$t" | tr / _)" ] || break
    done
    if grep -q '^--- ' "$of"; then alone=$((alone + 1)); fi
done
programs=$1
for of in "$results"/*; do failed "$of"; done
set -- "$programs"
cat "$results"/* | awk -v programs="$1" '
    /^tests\/.*: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { n++; p += $2; f += $4; s += $6 }
    END {
        f += programs - n
        if (p + f == 0) { print "no test passed: nothing was tested"; f = 1 }
        print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0
    }'
