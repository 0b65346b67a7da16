#include "backends/functions/sampler_impl.h"

#include <stdio.h>
#include <string.h>

#include "backends/common/advice.h"
#include "backends/perf_common/cpus.h"
#include "backends/perf_event/catalog.h"

/* Opens a tap as for a command, but on one CPU: if it works there, it works on all. */
static void try_kind(struct perf_context *context, enum callgraph callgraph, struct tap *s)
{
    bool cpus[TARGET_MAX_CPUS];
    struct target self = {.kind = TARGET_COMMAND, .cpus = cpus};
    cpus_online(cpus);
    bool *first = memchr(cpus, 1, sizeof cpus);
    memset(cpus, 0, sizeof cpus);
    *(first ? first : cpus) = true;
    tap_open(s, &(struct tap_config){
                    .sys = perf_sys_current(),
                    .context = context,
                    .target = &self,
                    .command = 0,
                    /* until an exec that never comes, so nothing is sampled */
                    .command_waits = true,
                    .sampling = {.on = true, .callgraph = (uint8_t)callgraph},
                });
}

static void probe_stacks(struct perf_context *context, probe_sink sink, void *ctx)
{
    struct tap s;
    struct probe_finding c = {.id = "sampler.stacks", .label = "call-stack sampling"};
    char why[400], advice[ADVICE_BYTES];
    try_kind(context, CALLGRAPH_FP, &s);
    if (s.nfds == 0) {
        c.state = PROBE_NO;
        snprintf(why, sizeof why, "%s", s.why);
        c.enable = s.help[0] ? s.help : NULL;
    } else if (s.cpu_clock) {
        c.state = PROBE_PARTIAL;
        snprintf(why, sizeof why, "by cpu-clock, a timer: %s", s.why);
        c.enable = s.help[0] ? s.help : NULL;
    } else {
        c.state = s.kernel_excluded ? PROBE_PARTIAL : PROBE_YES;
        snprintf(why, sizeof why, "by cycles%s", s.kernel_excluded ? ", user mode only" : "");
        c.enable = s.kernel_excluded ? advice_paranoid(context->paranoid, 1, advice) : NULL;
    }
    c.why = why;
    sink(ctx, &c);
    tap_close(&s);
}

static void probe_dwarf(struct perf_context *context, probe_sink sink, void *ctx)
{
    struct tap s;
    struct probe_finding c = {.id = "sampler.dwarf", .label = "call graphs without frame pointers"};
    try_kind(context, CALLGRAPH_DWARF, &s);
    bool ok = s.nfds > 0 && s.callgraph == CALLGRAPH_DWARF;
    c.state = ok ? PROBE_YES : PROBE_NO;
    c.why = s.why[0] ? s.why : "the kernel copies no stacks here";
    if (ok)
        c.why = "the kernel copies stacks and registers: --call-graph dwarf";
    sink(ctx, &c);
    tap_close(&s);
}

void sampler_probe(probe_sink sink, void *ctx)
{
    struct perf_context context;
    perf_context_read(&context, perf_sys_current());
    context.core_pmu = strcmp(arch_detect()->key, "none") != 0;
    probe_stacks(&context, sink, ctx);
    probe_dwarf(&context, sink, ctx);
}
