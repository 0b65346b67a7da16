#include "engine/functions/hot_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum { NAMELESS_FROM = 5, CUT_FROM = 20 }; /* % of the samples that are worth a line */

/* How each run-time compiler names its code for perf(1): /tmp/perf-PID.map, as the kernel's
 * tools/perf/Documentation/jit-interface.txt has it. */
static const struct {
    const char *module; /* how its library's name begins */
    const char *runtime, *advice;
} runtimes[] = {
    /* docs.oracle.com/en/java/javase/17, java and jcmd */
    {"libjvm.so", "java",
     "start it with -XX:+PreserveFramePointer, then jcmd PID Compiler.perfmap (JDK 17) or "
     "perf-map-agent"},
    /* nodejs.org/api/cli.html, --perf-basic-prof */
    {"libnode.so", "node", "node --perf-basic-prof"},
    {"node", "node", "node --perf-basic-prof"},
    /* docs.python.org/3/howto/perf_profiling.html */
    {"libpython3", "python", "python -X perf (3.12 or newer)"},
    {"python3", "python", "python -X perf (3.12 or newer)"},
    /* learn.microsoft.com/dotnet/core/runtime-config/debugging-profiling */
    {"libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1 in its environment"},
    /* github.com/ruby/ruby doc/yjit/yjit.md */
    {"libruby", "ruby", "ruby --yjit --yjit-perf"},
    {"ruby", "ruby", "ruby --yjit --yjit-perf"},
    /* www.erlang.org/doc/apps/erts/beamasm.html */
    {"beam.smp", "erlang", "erl +JPperf true"},
};

/* The first functions of threads: a stack that ends here is complete. '*' stands for any ending. */
static const char *const starts[] = {
    "_start",   "__libc_start*", "main",          "start_thread", "clone",   "clone3",
    "__clone*", "_dl_*",         "__GI___clone*", "runtime.*",    "[other]", "thread_start",
};

static bool is_nameless_code(const struct hot_symbol *s)
{
    return s->where == HOT_UNKNOWN &&
           (strcmp(s->module, "[anon]") == 0 || text_begins(s->module, "memfd:"));
}

/* Kernel threads and what the kernel does for itself have no callers in a program. */
static bool starts_here(const struct hot_symbol *s)
{
    if (s->where == HOT_KERNEL)
        return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = strcspn(starts[i], "*");
        if (strncmp(s->name, starts[i], n) == 0 && (starts[i][n] == '*' || s->name[n] == '\0'))
            return true;
    }
    return false;
}

static int find_runtime(const struct hot_stacks *p)
{
    for (size_t r = 0; r < sizeof runtimes / sizeof *runtimes; r++)
        for (size_t i = 0; i < p->nsymbols; i++)
            if (text_begins(p->symbols[i].module, runtimes[r].module))
                return (int)r;
    return -1;
}

/* Counts samples without a name, and samples of cut stacks. Callers come before callees. */
static void count_unnamed(const struct hot_stacks *p, uint64_t *unnamed, uint64_t *cut)
{
    bool *whole = p->nnodes ? xcalloc(p->nnodes, sizeof *whole) : NULL;
    *unnamed = *cut = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *n = &p->nodes[i];
        const struct hot_symbol *s = &p->symbols[n->symbol];
        whole[i] = n->parent >= 0 ? whole[n->parent] : starts_here(s);
        *unnamed += is_nameless_code(s) ? n->self : 0;
        *cut += whole[i] ? 0 : n->self;
    }
    free(whole);
}

static void write_hint_text(const struct hot_stacks *p, struct hot_hint *out, int runtime)
{
    size_t n = 0;
    if (out->nameless.v >= NAMELESS_FROM)
        n = (size_t)snprintf(
            out->text, sizeof out->text, "%.0f %% in code compiled at run time without names: %s",
            out->nameless.v,
            runtime >= 0 ? runtimes[runtime].advice
                         : "have its run-time write /tmp/perf-PID.map (java, node, "
                           "python and others can)");
    if (out->cut.validity != VALUE_OK || out->cut.v < CUT_FROM || n >= sizeof out->text)
        return;
    snprintf(out->text + n, sizeof out->text - n,
             "%s%.0f %% of the stacks end before the thread's start: %s", n ? "; " : "", out->cut.v,
             p->callgraph == CALLGRAPH_FP
                 ? "--call-graph dwarf, or build with -fno-omit-frame-pointer"
                 : "no unwind information there: build with -fasynchronous-unwind-tables");
}

void hot_hint(const struct hot_stacks *p, struct hot_hint *out)
{
    uint64_t unnamed, cut;
    *out = (struct hot_hint){.nameless = value_missing("no samples", UNIT_PERCENT),
                             .cut = value_missing("no samples", UNIT_PERCENT)};
    if (!p || p->samples == 0)
        return;
    int runtime = find_runtime(p);
    count_unnamed(p, &unnamed, &cut);
    out->runtime = runtime >= 0 ? runtimes[runtime].runtime : NULL;
    out->nameless = value_ok(100 * (double)unnamed / (double)p->samples, UNIT_PERCENT);
    out->cut = p->callgraph == CALLGRAPH_NONE
                   ? value_missing("callers were not asked for", UNIT_PERCENT)
                   : value_ok(100 * (double)cut / (double)p->samples, UNIT_PERCENT);
    write_hint_text(p, out, runtime);
}
