/* perf's own names for PERF_TYPE_HARDWARE, _SOFTWARE and _HW_CACHE, and raw codes. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/perf_event/catalog.h"
#include "backends/perf_event/encoding_names.h"

/* Source: include/uapi/linux/perf_event.h (enum perf_hw_id, perf_sw_ids); names: perf-list(1);
 * descriptions: after perf_event_open(2). */
static const struct generic {
    const char *name;
    uint32_t type;
    uint64_t config;
    const char *description;
} generics[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
     "core clock cycles, not counted while halted"},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "the same as cycles"},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions that retired"},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
     "accesses of the last-level cache, as the CPU defines them"},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
     "accesses that the last-level cache did not have"},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     "branch instructions that retired"},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     "the same as branches"},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
     "branches that were predicted wrongly"},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
     "bus cycles, of constant rate on most CPUs"},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     "cycles in which no instruction could be issued for want of instructions"},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     "the same as stalled-cycles-frontend"},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     "cycles in which no instruction could be issued for want of resources or operands"},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     "the same as stalled-cycles-backend"},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
     "cycles at the reference clock, whatever the core's frequency"},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
     "time of the CPU while it is counted"},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "time in which the task ran"},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults, minor and major"},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "the same as page-faults"},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     "switches to another task"},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "the same as context-switches"},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
     "moves of the task to another CPU"},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "the same as cpu-migrations"},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     "page faults that needed no disk"},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     "page faults that needed a disk"},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     "accesses that the kernel had to repair for their alignment; none on x86"},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
     "instructions that the kernel had to emulate"},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
     "counts nothing; carries records of mmap and comm"},
    {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
     "carries records that BPF programs write; counts nothing"},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, 11, "switches to a task of another control group"},
};

/* perf_hw_cache_id, _op_id, _op_result_id in the kernel's order; spelled as in perf-list. */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                     "iTLB",      "branch",    "node"};
static const struct {
    const char *access, *miss;
} operations[] = {
    {"loads", "load-misses"}, {"stores", "store-misses"}, {"prefetches", "prefetch-misses"}};
enum { NCACHES = 7, NOPERATIONS = 3 };

static bool is_sensible_cache_event(int cache, int op)
{
    bool read_only = cache == 1 || cache == 4 || cache == 5; /* icache, iTLB, branch */
    if (cache == 4 || cache == 5)
        return op == 0;
    return !(read_only && op == 1) && !(cache == 3 && op == 2);
}

static void cache_name(char *out, size_t size, int cache, int op, int miss)
{
    snprintf(out, size, "%s-%s", caches[cache], miss ? operations[op].miss : operations[op].access);
}

static bool cache_config(const char *name, uint64_t *config)
{
    for (int i = 0; i < NCACHES * NOPERATIONS * 2; i++) {
        int cache = i / 6, op = i / 2 % 3, miss = i % 2;
        char known[48];
        cache_name(known, sizeof known, cache, op, miss);
        if (!is_sensible_cache_event(cache, op) || strcasecmp(known, name) != 0)
            continue;
        *config = (uint64_t)(cache | op << 8 | miss << 16);
        return true;
    }
    return false;
}

uint8_t counters_taken(uint32_t type, uint64_t config)
{
    const char *key = arch_detect()->key;
    bool amd = strncmp(key, "zen", 3) == 0;
    bool intel = strcmp(key, "skl") == 0 || strcmp(key, "icl") == 0 || strcmp(key, "spr") == 0 ||
                 strcmp(key, "adl") == 0;
    bool arm = strncmp(key, "armv8", 5) == 0 || strncmp(key, "neoverse", 8) == 0;
    config &= 0xffffffff | (type == PERF_TYPE_HARDWARE ? 0 : UINT64_C(0xf00000000));
    if (type == PERF_TYPE_HARDWARE)
        return !(((intel || arm) && config == PERF_COUNT_HW_CPU_CYCLES) ||
                 (intel && (config == PERF_COUNT_HW_INSTRUCTIONS ||
                            config == PERF_COUNT_HW_REF_CPU_CYCLES)));
    if (type == PERF_TYPE_HW_CACHE)
        return 1;
    /* AMD since family 17h: FLOPs (0x003) can add more than 15 in a cycle and need an even and an
     * odd counter */
    if (amd)
        return (config & UINT64_C(0xf000000ff)) == 0x03 ? 2 : 1;
    if (arm)
        return (config & 0xffff) != 0x11;
    /* Intel: the fixed counters and, since Ice Lake, slots 0x0400 with its metrics 0x80xx */
    bool fixed = config == 0x3c || config == 0xc0 || config == 0x300 ||
                 (strcmp(key, "skl") != 0 && (config & 0xff) == 0 && (config & 0xff00) >= 0x400);
    return !(intel && fixed);
}

void encodings_on_cores(struct encodings *out, uint32_t type, uint64_t config, bool extended_type)
{
    struct pmu cores[CORE_PMUS_MAX];
    size_t n = pmu_cores(cores);
    out->n = n ? n : 1;
    for (size_t i = 0; i < out->n; i++) {
        struct perf_encoding *e = &out->rows[i];
        *e = (struct perf_encoding){.type = type, .config = config, .scale = 1};
        e->counters = counters_taken(type, config);
        snprintf(e->pmu, sizeof e->pmu, "%s", n ? cores[i].name : "cpu");
        if (n < 2)
            continue;
        /* with several core PMUs the kernel would silently use one of them */
        e->hybrid = true;
        if (extended_type)
            e->config |= (uint64_t)cores[i].type << 32;
        else
            e->type = cores[i].type;
        snprintf(e->cpumask, sizeof e->cpumask, "%s", cores[i].cpus);
    }
}

int names_generic(const char *name, struct encodings *out)
{
    uint64_t config;
    if (cache_config(name, &config)) {
        encodings_on_cores(out, PERF_TYPE_HW_CACHE, config, true);
        return 0;
    }
    for (size_t i = 0; i < sizeof generics / sizeof *generics; i++) {
        const struct generic *g = &generics[i];
        if (strcmp(g->name, name) != 0)
            continue;
        if (g->type == PERF_TYPE_HARDWARE) {
            encodings_on_cores(out, g->type, g->config, true);
            return 0;
        }
        struct perf_encoding *e = &out->rows[0];
        *e = (struct perf_encoding){.type = g->type, .config = g->config, .scale = 1};
        snprintf(e->pmu, sizeof e->pmu, "software");
        /* the clocks count nanoseconds */
        if (g->config == PERF_COUNT_SW_CPU_CLOCK || g->config == PERF_COUNT_SW_TASK_CLOCK) {
            e->scale = 1e-9;
            snprintf(e->unit, sizeof e->unit, "s");
        }
        out->n = 1;
        return 0;
    }
    return NOT_MINE;
}

static void describe_cache(char *out, size_t size, int cache, int op, int miss)
{
    static const char *const words[] = {"loads", "stores", "prefetches"};
    static const char *const what[NCACHES] = {
        "first-level data cache", "first-level instruction cache",
        "last-level cache",       "data TLB",
        "instruction TLB",        "branch predictor",
        "local memory node"};
    snprintf(out, size, "%s of the %s%s", words[op], what[cache], miss ? " that missed" : "");
}

void names_generic_list(event_sink sink, void *ctx)
{
    struct event_about about = {.kind = EVENT_KIND_GENERIC};
    for (size_t i = 0; i < sizeof generics / sizeof *generics; i++) {
        about.name = generics[i].name;
        about.description = generics[i].description;
        about.pmu = generics[i].type == PERF_TYPE_SOFTWARE ? "software" : "cpu";
        about.modifiers = "u, k, h";
        sink(ctx, &about);
    }
    for (int i = 0; i < NCACHES * NOPERATIONS * 2; i++) {
        char known[48], description[96];
        if (!is_sensible_cache_event(i / 6, i / 2 % 3))
            continue;
        cache_name(known, sizeof known, i / 6, i / 2 % 3, i % 2);
        describe_cache(description, sizeof description, i / 6, i / 2 % 3, i % 2);
        about.name = known;
        about.description = description;
        about.pmu = "cpu";
        sink(ctx, &about);
    }
}

int names_raw(const char *name, struct encodings *out)
{
    size_t digits = strspn(name + (*name != 0), "0123456789abcdefABCDEF");
    if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
        return NOT_MINE;
    encodings_on_cores(out, PERF_TYPE_RAW, strtoull(name + 1, NULL, 16), false);
    return 0;
}
