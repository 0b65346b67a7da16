#!/bin/sh
# check-truth.sh BUILD [SEEDS]: the answers of path, what-if, slack, steps and labels for a hundred simulated programs whose truth is
# known (../shared/truth), beside today's errors with a little room: the worst mean of all cases, in points of the whole time, % of it,
# and of 100 kernels or labels. The same commit always gives the same figures, so a bound is lowered with the change that earns it.
# Exit status 77: the simulator is not on this machine.
set -eu
truth=$(dirname "$0")/../../shared/truth/score.py
[ -e "$truth" ] || exit 77
exec python3 -B "$truth" --rooftop "$1/rooftop" --seeds "${2-0..99}" --jobs "$(nproc)" --cases plain,usual,all,files_all,merged_all \
    --max-path 0.63 --max-what-if 1.1 --max-slack 1.3 --max-labels 1 --max-moved 2.7
