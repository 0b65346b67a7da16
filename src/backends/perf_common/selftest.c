#include "backends/perf_common/selftest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/perf_common/open.h"
#include "base/arena.h"
#include "base/env.h"

enum {
    WORK_NS = 1000000,
    ROUNDS_MAX = 4000000, /* ends the work even if an injected clock stands still */
};

/* A chain of dependent multiplications: at least one instruction each, which the compiler cannot
 * remove. */
static void multiply_for_a_while(void)
{
    uint64_t begin = env_now_ns(), x = begin | 1;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        x *= 6364136223846793005U;
        __asm__ volatile("" : "+r"(x));
        if (i % 1024 == 1023 && env_now_ns() - begin >= WORK_NS)
            break;
    }
}

static const struct perf_encoding cycles = {
    .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .counters = 1, .scale = 1};
static const struct perf_encoding instructions = {
    .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .counters = 1, .scale = 1};

void selftest_run(const struct perf_sys *sys, struct selftest *out)
{
    struct perf_encoding members[2] = {cycles, instructions};
    struct plan_group plan = {.members = members, .n = 2, .domain = PLAN_CORE, .cost = 2};
    struct perf_group g = {0};
    struct count d[2] = {{0}}, at_start[2];
    *out = (struct selftest){.state = SELFTEST_REFUSED};
    int rc = group_open(&g, sys, &plan, &(struct group_where){.pid = 0, .cpu = -1});
    if (!rc)
        rc = group_read(&g, sys, &plan, at_start);
    if (!rc) {
        multiply_for_a_while();
        rc = group_read(&g, sys, &plan, d);
    }
    if (rc < 0) {
        out->err = -rc;
    } else {
        out->cycles = d[0].value;
        out->instructions = d[1].value;
        bool ran = d[0].running || d[1].running;
        bool counted = (!g.err[0] && d[0].value) || (!g.err[1] && d[1].value);
        bool half = (!g.err[0] && !d[0].value) || (!g.err[1] && !d[1].value);
        out->state = counted && !half ? SELFTEST_WORKS : SELFTEST_COUNTS_NOTHING;
        if (!ran)
            out->state = SELFTEST_NEVER_RUNS;
    }
    group_close(&g, sys);
}

int selftest_moves(const struct perf_sys *sys, const struct perf_encoding *event, int cpu)
{
    struct perf_encoding member = *event;
    struct plan_group plan = {.members = &member, .n = 1, .domain = PLAN_UNCORE, .cost = 1};
    struct perf_group g = {0};
    struct count begin = {0}, now = {0};
    int rc = group_open(&g, sys, &plan, &(struct group_where){.pid = -1, .cpu = cpu});
    if (!rc)
        rc = group_read(&g, sys, &plan, &begin);
    for (int i = 0; !rc && i < 20 && !now.value; i++) { /* RAPL updates about once in a ms */
        multiply_for_a_while();
        rc = group_read(&g, sys, &plan, &now);
    }
    group_close(&g, sys);
    return rc < 0 ? rc : now.value != 0;
}

struct selftest_job {
    const struct perf_sys *sys;
    pthread_t thread;
    bool started;
    struct selftest result; /* written before `done` */
    _Atomic bool done;
};

static void *job_main(void *arg)
{
    struct selftest_job *job = arg;
    pthread_setname_np(pthread_self(), "rooftop-check");
    selftest_run(job->sys, &job->result);
    atomic_store_explicit(&job->done, true, memory_order_release);
    return NULL;
}

struct selftest_job *selftest_start(const struct perf_sys *sys)
{
    struct selftest_job *job = xcalloc(1, sizeof *job);
    sigset_t all, old;
    job->sys = sys;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    job->started = pthread_create(&job->thread, NULL, job_main, job) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return job;
}

void selftest_result(struct selftest_job *job, struct selftest *out)
{
    *out = (struct selftest){.state = SELFTEST_PENDING};
    if (job && atomic_load_explicit(&job->done, memory_order_acquire))
        *out = job->result;
}

void selftest_free(struct selftest_job *job)
{
    if (job && job->started)
        pthread_join(job->thread, NULL);
    free(job);
}

const char *selftest_text(const struct selftest *t, char *out, size_t size)
{
    out[0] = '\0';
    if (t->state == SELFTEST_COUNTS_NOTHING)
        snprintf(out, size,
                 "the PMU accepts events but does not count: %llu cycles and %llu instructions in "
                 "1 ms of work",
                 (unsigned long long)t->cycles, (unsigned long long)t->instructions);
    else if (t->state == SELFTEST_NEVER_RUNS)
        snprintf(out, size, "the PMU accepts events but gave no counter in 1 ms of work");
    return out;
}
