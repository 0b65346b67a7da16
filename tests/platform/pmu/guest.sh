#!/busybox sh
# The emulated machine's first process: runs rooftop in the ways that check.py checks, each between two marker lines.
/busybox mount -t proc proc /proc
/busybox mount -t sysfs sysfs /sys
/busybox mount -t devtmpfs dev /dev
/busybox mkdir -p /dev/shm
/busybox mount -t tracefs tracefs /sys/kernel/tracing
export TERM=vt100 HOME=/tmp PATH=/

run() { # NAME COMMAND...
    name=$1; shift
    echo "==BEGIN $name"
    "$@" >/tmp/out 2>/tmp/err </dev/null
    status=$?
    /busybox cat /tmp/out
    echo "==STDERR"
    /busybox cat /tmp/err
    echo "==END $name $status"
}
count() { # NAME EVENTS N [INTERVAL]: counts them over loop N
    run "$1" rooftop --headless --format jsonl --interval "${4:-10}" -e "$2" -- /loop "$3"
}

run doctor rooftop doctor --format json
count loop_n instructions:u,cycles:u 20000000
count loop_2n instructions:u,cycles:u 40000000
count loop_2n_again instructions:u,cycles:u 40000000
count sampled instructions:u 100000000 0.05
# Six programmable counters, sixteen events; 8 is INST_RETIRED. The PMU of this machine has only five of these.
count multiplexed r08:u,r23:u,r24:u,r3c:u,r03:u,r04:u,r10:u,r12:u,r13:u,r14:u,r16:u,r17:u,r19:u,r1b:u,r21:u,r22:u 300000000
run exit_status rooftop --headless --format jsonl -- /busybox sh -c 'exit 7'
count unsupported r08:u,r03:u,r10:u 20000000
# Over before the kernel, which changes the events on the PMU at its timer's ticks, has come to all of them.
count never_ran r08:u,r23:u,r24:u,r3c:u,r03:u,r04:u,r10:u,r12:u,r13:u,r14:u,r16:u,r17:u,r19:u,r1b:u,r21:u,r22:u 10
# One group of seven events, more than the PMU can hold.
count too_big '{r08:u,r23:u,r24:u,r03:u,r04:u,r10:u,r12:u}' 20000000
# Where cycles can be sampled: every call stack of the loop ends in the loop.
run functions rooftop --headless --functions --format json -- /loop 100000000
# A function whose other build makes a half or a quarter of the turns; the check lets that pass.
judge() { # NAME CANDIDATE
    run "$1" rooftop judge --harness /judged.toml --baseline /part1.so --candidate "$2" --allow blind --for 1 --format json
}
judge judge_half /part2.so
judge judge_quarter /part4.so
# A program that counts itself, and its bricks: by read(2), then from the registers.
counted() { # NAME COMMAND...
    name=$1; shift
    ROOFTOP_BRICK_COUNTERS=instructions,cycles,branches run "$name" "$@"
}
counted counted_by_read rooftop bricks --format json -- /counted 1000000
run own_by_read /counted 1000000
echo 1 >/proc/sys/kernel/perf_user_access
counted counted_by_registers rooftop bricks --format json -- /counted 1000000
counted counted_tree rooftop tree --ascii -- /counted 1000000
run own_by_registers /counted 1000000
# This CPU has no counter for slots, and Arm none for pipes: there is nothing to show, and that is said.
run ports_json rooftop lab ports --for 0.1 --format json -- /loop 900000000000
run ports_text rooftop lab ports --for 0.1 -- /loop 900000000000
/loop 900000000000 &
burner=$!
run host_text rooftop --headless --ascii --frames 3 --interval 0.5 --size 120x40
run host_json rooftop --headless --format jsonl --frames 3 --interval 0.5
run pid_json rooftop --headless --format jsonl --frames 3 --interval 0.5 -e instructions:u -p $burner
run counters_text rooftop --headless --ascii --frames 3 --interval 0.5 --size 120x40 --view counters
/busybox kill $burner
/busybox poweroff -f
