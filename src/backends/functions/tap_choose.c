/* Chooses the event to sample, the rate, and the kind of call graph. */
#include <errno.h>
#include <stdio.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/open.h"
#include "backends/perf_common/selftest.h"
#include "backends/functions/sampler_impl.h"
#include "backends/unwind/unwind.h"

void tap_say(struct tap *s, const struct tap_config *c, int err, enum explain_event event,
             const char *prefix)
{
    struct explanation x;
    if (s->why[0])
        return;
    explain(c->context,
            &(struct explain_query){
                .err = err, .kind = c->target->kind, .event = event, .owner = c->context->uid},
            &x);
    snprintf(s->why, sizeof s->why, "%s%s", prefix, x.why);
    snprintf(s->help, sizeof s->help, "%s", x.help);
}

/* Samples cycles only if the PMU counts them, which a test on ourselves shows in a millisecond. */
void tap_choose_event(struct tap_opening *o)
{
    struct tap *s = o->s;
    struct error err = ERROR_INIT;
    struct selftest t = {.state = SELFTEST_REFUSED, .err = ENOENT};
    if (event_resolve_all("cycles", &o->cycles, &o->ncycles, &err) == 0)
        selftest_run(s->sys, &t);
    if (t.state == SELFTEST_WORKS) {
        struct group_where self = {.pid = 0, .cpu = -1};
        struct perf_event_attr a;
        tap_fill_attr(o, &o->cycles[0], &a);
        a.exclude_kernel = a.exclude_hv = 1;
        a.sample_type = PERF_SAMPLE_IP; /* test whether it samples, not what it dumps */
        a.sample_regs_user = a.sample_stack_user = 0;
        a.exclude_callchain_user = 0;
        int fd = event_open_attr(s->sys, &a, &self, -1); /* no interrupt: it only counts */
        if (fd >= 0) {
            s->sys->close(s->sys->ctx, fd);
            s->event = "cycles";
            return;
        }
        t = (struct selftest){.state = SELFTEST_REFUSED, .err = -fd};
    }
    s->cpu_clock = true;
    s->event = "cpu-clock";
    if (t.state == SELFTEST_REFUSED)
        tap_say(s, o->c, t.err, EXPLAIN_HARDWARE, "");
    else
        selftest_text(&t, s->why, sizeof s->why);
}

void tap_choose_rate(struct tap_opening *o)
{
    struct tap *s = o->s;
    long most = read_number("/proc/sys/kernel/perf_event_max_sample_rate", 0);
    s->hz = o->c->sampling.hz > 0 ? o->c->sampling.hz : SAMPLING_HZ;
    if (most > 0 && s->hz > (double)most)
        s->hz = (double)most;
    if (s->hz < 1)
        s->hz = 1;
}

void tap_choose_callgraph(struct tap_opening *o)
{
    struct tap *s = o->s;
    s->callgraph = o->c->sampling.callgraph <= CALLGRAPH_NONE
                       ? (enum callgraph)o->c->sampling.callgraph
                       : CALLGRAPH_FP;
    if (s->callgraph == CALLGRAPH_DWARF && !unwind_regs_mask())
        s->callgraph = CALLGRAPH_FP;
    if (s->callgraph != CALLGRAPH_NONE)
        s->nregs = (size_t)__builtin_popcountll(unwind_regs_mask());
}
