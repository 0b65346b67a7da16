#!/bin/bash
# benches/run.sh BUILD [DB]: measures the commands of benches/set.tsv with rooftop bench, and ops per cycle of the vTPU with rooftop lab
# validate, and keeps both in the database DB of rooftop history (that of the state folder unless given).
# BENCH_FOR: seconds a row, 5 unless given. Fails where a row cannot be measured; `rooftop history --fail-on alarm` judges.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
build=$1 db=() bad=0
[ -n "${2:-}" ] && db=(--db "$2")
data=$build/benches # its name is in the names of series: the same each time
mkdir -p "$data"
"$build/bench/make_profile" kineto 2 "$data/kineto.json" || exit 1
while IFS=$'\t' read -r peer ours; do
    read -ra peer <<<"${peer//DATA/$data}"
    ours=${ours//DATA/$data}
    read -ra ours <<<"${ours//BUILD/$build}"
    if ! command -v "${peer[0]}" >/dev/null; then
        echo "not measured: ${peer[0]} is not installed: ${ours[*]}"
        continue
    fi
    # A second "--" would divide commands: rooftop trace takes its command through sh.
    case " ${ours[*]} " in *' -- '*) ours=(sh -c "${ours[*]}") ;; esac
    "$build/rooftop" bench "${db[@]}" --for "${BENCH_FOR:-5}" -- "${peer[@]}" -- "${ours[@]}" </dev/null || bad=1
done < <(grep -v '^#' benches/set.tsv)
keep=(--keep "${db[@]}")
"$build/rooftop" lab validate "${keep[@]}" >"$data/lab.txt"
status=$? # 9: a gate fails; the history has the same limit, and says it
tail -n 5 "$data/lab.txt"
[ $status -eq 0 ] || [ $status -eq 9 ] || bad=1
exit $bad
