#!/bin/sh
# check-golden.sh BUILD [--no-times]: the examples and rooftop's own start do what golden_traces/ has of them, and the examples keep to
# the budgets of renacer.toml. A budget of time is kept if one of five runs keeps it: a busy machine is no fault of the program.
set -eu
build=$1
rooftop=$build/rooftop
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed "s|\"build/release/|\"$build/|" golden_traces/golden.toml >"$work/golden.toml"
"$rooftop" golden check --all --folder golden_traces --scenarios "$work/golden.toml" -o "$work/differences" >/dev/null 2>"$work/errors" || {
    status=$?
    cat "$work/errors" "$work/differences" >&2 || true
    exit $status
}
cat "$work/differences"
tries=5 left_out=
if [ "${2-}" = --no-times ]; then tries=1 left_out='s/max_time_ms = [0-9.]*, //'; fi
sed "$left_out" renacer.toml >"$work/budgets.toml"
for name in backend_detection matrix_operations activation_functions performance_demo similarity_search; do
    status=1 n=0
    while [ $n -lt $tries ] && [ $status -ne 0 ]; do
        n=$((n + 1)) status=0
        "$rooftop" assert -o "$work/report" "$work/budgets.toml" -- "$build/examples/$name/$name" >/dev/null 2>"$work/errors" || status=$?
        [ $status -eq 0 ] || [ $status -eq 9 ] || break
    done
    if [ $status -ne 0 ]; then
        cat "$work/report" "$work/errors" >&2 || true
        exit $status
    fi
    echo "$name: $(tail -1 "$work/report")"
done
