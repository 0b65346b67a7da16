/*
 * Samples call stacks of the target on request. While it is off it holds no descriptor, no thread,
 * and no memory except this struct.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "backends/functions/sampler_impl.h"
#include "base/arena.h"
#include "engine/live/source.h"

enum {
    WAIT_MS = 5,           /* time to wait for the newest samples; usually 1 ms is enough */
    WAIT_FIRST_MS = 100,   /* for the first names: the kernel's list alone takes 50 ms */
    WAIT_PATIENT_MS = 5000 /* for all names, without a screen or after the target's end */
};

struct sampler_source {
    const struct perf_sys *sys;
    const struct host *host; /* borrowed: the engine keeps it longer than its sources */
    struct target target;
    pid_t command;
    bool started; /* the command was started */
    bool gone;    /* the target has ended and all its samples were collected */
    struct sampling now;
    struct sampler_run *run; /* NULL: sampling is off */
    unsigned polls;          /* polls of this run */
};

static int sampler_open(struct source **out, struct source_config *config, struct error *err)
{
    (void)err;
    struct sampler_source *s = xcalloc(1, sizeof *s);
    s->sys = perf_sys_current();
    s->host = config->host;
    target_copy(&s->target, config->target);
    s->command = config->command_pid;
    *out = (struct source *)s;
    return 0;
}

static int sampler_start(struct source *self, struct error *err)
{
    struct sampler_source *s = (struct sampler_source *)self;
    (void)err;
    s->started = true;
    return 0;
}

static bool is_same_sampling(const struct sampling *a, const struct sampling *b)
{
    return a->on == b->on && a->hz == b->hz && a->callgraph == b->callgraph;
}

static void begin_sampling(struct sampler_source *s)
{
    struct perf_context context;
    perf_context_read(&context, perf_sys_current());
    context.core_pmu = strcmp(arch_detect()->key, "none") != 0;
    if (s->host && s->host->hypervisor[0])
        snprintf(context.hypervisor, sizeof context.hypervisor, "%s", s->host->hypervisor);
    if (s->host && s->host->container[0])
        snprintf(context.container, sizeof context.container, "%s", s->host->container);
    s->run = run_start(&(struct tap_config){
        .sys = s->sys,
        .context = &context,
        .target = &s->target,
        .command = s->command,
        .command_waits = s->target.kind == TARGET_COMMAND && !s->started,
        .sampling = s->now,
    });
}

static void sampler_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct sampler_source *s = (struct sampler_source *)self;
    (void)now_ns;
    if (!is_same_sampling(&s->now, &out->sampling)) {
        run_stop(s->run);
        s->run = NULL;
        s->now = out->sampling;
    }
    if (!s->now.on)
        return;
    if (!s->run) {
        begin_sampling(s);
        s->polls = 0;
    }
    bool last = out->target_gone && !s->gone;
    unsigned wait_ms = s->polls == 1 ? WAIT_FIRST_MS : WAIT_MS;
    if (last || s->now.patient)
        wait_ms = WAIT_PATIENT_MS;
    run_collect(s->run, out, s->polls ? wait_ms : 0, out->target_gone);
    s->polls += s->polls < 2;
    s->gone = out->target_gone;
}

static void sampler_close(struct source *self)
{
    struct sampler_source *s = (struct sampler_source *)self;
    if (!s)
        return;
    run_stop(s->run);
    target_free(&s->target);
    free(s);
}

const struct source_ops source_sampler = {
    .name = "sampler",
    .summary = "call stacks sampled by cycles or by time: where CPU time goes, by function",
    .probe = sampler_probe,
    .open = sampler_open,
    .start = sampler_start,
    .poll = sampler_poll,
    .close = sampler_close,
};
