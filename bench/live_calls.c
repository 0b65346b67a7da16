/*
 * What it costs rooftop to find the bricks of 10^6 system calls, as they come: a program records
 * 100,000 bricks, rooftop polls 100 times, and each brick has ten calls, of which half come a poll
 * later than their brick and half before it. 5,000 calls are in no brick, and wait. Prints ns of
 * CPU time a call, ms of the longest poll, and the ratio of the CPU time to that of qsort() for the
 * times of the same calls, which takes turns with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "rooftop/brick.h"

enum { POLLS = 100, BRICKS = 1000, CALLS = 10, LOOSE = 50, MOST = 2 * BRICKS * CALLS + LOOSE };

static uint64_t times[MOST]; /* of the calls of this poll */
static size_t ntimes;

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Records a batch of bricks for each byte that comes. */
static void run_program(int in, int out)
{
    char key;
    while (read(in, &key, 1) == 1) {
        for (int i = 0; i < BRICKS; i++) {
            const rooftop_timer t = rooftop_start(rooftop_brick(i % 2 ? "Gemm" : "Norm"));
            rooftop_stop(t, 0);
        }
        if (write(out, &key, 1) != 1)
            exit(1);
    }
    exit(0);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* CPU time that it takes to sort the calls of this poll by their begin. */
static uint64_t sort_times(void)
{
    const uint64_t begin = cpu_ns();
    qsort(times, ntimes, sizeof *times, by_time);
    return cpu_ns() - begin;
}

static void add_call(struct call_feed *feed, pid_t pid, uint64_t at)
{
    if (ntimes < MOST)
        times[ntimes++] = at;
    call_feed_add(feed, &(struct syscall_event){.kind = SYSCALL_CALL,
                                                .abi = SYSCALL_X86_64,
                                                .pid = pid,
                                                .tid = pid,
                                                .number = 39,
                                                .begin_ns = at,
                                                .end_ns = at});
}

/* Adds calls inside the newest bricks. */
static void add_calls(struct call_feed *feed, const struct programs *p, int calls)
{
    size_t n;
    const struct brick_event *e = p->n ? brick_reader_new_events(p->list[0].reader, &n) : NULL;
    for (size_t i = 0; e && i < n; i++)
        for (int k = 0; (e[i].record.type & 15) == BRICK_SPAN && k < calls; k++)
            add_call(feed, p->list[0].pid, e[i].record.start);
}

int main(void)
{
    int to[2], from[2];
    char folder[] = "/dev/shm/rooftop-bench-XXXXXX", key = 'b', path[320] = "";
    struct programs programs = {0};
    struct live_calls live = {0};
    struct call_feed *feed = call_feed_new((size_t)1 << 26);
    const struct target host = {.kind = TARGET_HOST};
    uint64_t all = 0, longest = 0, sorting = 0;
    if (!mkdtemp(folder) || setenv("ROOFTOP_BRICKS", folder, 1) != 0 || pipe(to) != 0 ||
        pipe(from) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        close(to[1]);
        run_program(to[0], from[1]);
    }
    call_feed_begin(feed);
    for (int i = 0; i < POLLS; i++) {
        if (write(to[1], &key, 1) != 1 || read(from[0], &key, 1) != 1)
            return 1;
        programs_find(&programs, &host, folder);
        ntimes = 0;
        add_calls(feed, &programs, CALLS / 2); /* of the poll before */
        programs_poll(&programs);
        add_calls(feed, &programs, CALLS - CALLS / 2);
        for (int k = 0; k < LOOSE; k++)
            add_call(feed, pid, 1 + (uint64_t)k);
        const uint64_t begin = cpu_ns();
        live_calls_poll(&live, feed, &programs);
        const uint64_t took = cpu_ns() - begin;
        all += took;
        sorting += sort_times();
        longest = took > longest ? took : longest;
    }
    const uint64_t counted = live.tally.total.calls;
    printf("ns a call %.0f\nms longest poll %.1f\nratio %.2f\ncalls %llu waiting %zu\n",
           (double)all / (double)(counted ? counted : 1), (double)longest / 1e6,
           (double)all / (double)(sorting ? sorting : 1), (unsigned long long)counted,
           live.waiting ? syscall_recent_count(live.waiting) : 0);
    close(to[1]);
    waitpid(pid, NULL, 0);
    if (programs.n)
        snprintf(path, sizeof path, "%s", programs.list[0].path);
    live_calls_free(&live);
    programs_close(&programs);
    call_feed_free(feed);
    unlink(path);
    return rmdir(folder) != 0;
}
