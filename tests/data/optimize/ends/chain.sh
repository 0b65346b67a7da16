# Runs rooftop optimize, which is ended with SIGKILL at one change of a file after the other, and
# goes on with it each time, until it ends by itself. After each end the source is whole. Where
# the log has grown, the next run begins behind what is logged, so it is ended at the same number
# again; else at the next one.
step=1 lines=0 runs=0 status=137
while [ $status = 137 ] && [ $runs -lt 200 ]; do
    runs=$((runs + 1)) resume=
    [ -e slow.sh.optimize ] && resume=--resume
    LD_PRELOAD=$PWD/kill.so KILL_AT=$step "$BIN" optimize slow.sh --no-store --allow review \
        --run 'sh check.sh {}' --build 'cp {source} {out}' --each 0.8 --max-iters 1 --apply \
        --proposer 'command:cat fast.sh' $resume >out 2>err
    status=$?
    if ! cmp -s slow.sh was.sh && ! { cmp -s slow.sh fast.sh && cmp -s slow.sh.orig was.sh; }; then
        echo "run $runs, ended at change $step: the source is neither the old nor the new one"
        exit 1
    fi
    for backup in slow.sh.orig*; do
        [ ! -e $backup ] || cmp $backup was.sh || exit 1
    done
    now=$(cat slow.sh.optimize/log.jsonl 2>/dev/null | grep -cE '"kind":"(baseline|candidate)".*}$')
    if [ "$now" -gt $lines ]; then
        lines=$now
    else
        step=$((step + 1))
    fi
done
[ $step -gt 10 ] || { echo "it ended at change $step of run $runs"; cat err; exit 1; }
if cmp -s slow.sh fast.sh; then
    [ $status = 0 ] || { [ $status = 3 ] && grep -q 'is candidate 1 of this run already' err; }
else
    [ $status = 9 ]
fi || { echo "run $runs ended with status $status"; cat err; exit 1; }
echo "$runs runs, the last one with status $status and up to change $step"
