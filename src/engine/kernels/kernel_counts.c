#include "engine/kernels/kernel_counts.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

static const char *const names[KERNEL_COUNTERS] = {
    [COUNTER_WAVES] = "SQ_WAVES",         [COUNTER_WAVE_CYCLES] = "SQ_WAVE_CYCLES",
    [COUNTER_WAIT_ANY] = "SQ_WAIT_ANY",   [COUNTER_VALU] = "SQ_INSTS_VALU",
    [COUNTER_SALU] = "SQ_INSTS_SALU",     [COUNTER_SMEM] = "SQ_INSTS_SMEM",
    [COUNTER_VMEM] = "SQ_INSTS_VMEM",     [COUNTER_LDS] = "SQ_INSTS_LDS",
    [COUNTER_BRANCH] = "SQ_INSTS_BRANCH",
};

uint8_t *kernel_counter_slots(const struct graph *calls)
{
    uint8_t *slot = xcalloc(calls->nnames + 1u, 1);
    for (uint32_t i = 0; i < calls->nnames; i++) {
        const char *text = graph_text(calls, i);
        size_t n = strlen(text);
        if (n > 4 && strcmp(text + n - 4, "_sum") == 0) /* "SQ_WAVES_sum" is SQ_WAVES, summed */
            n -= 4;
        slot[i] = KERNEL_COUNTERS;
        for (int k = 0; k < KERNEL_COUNTERS; k++)
            if (strlen(names[k]) == n && memcmp(names[k], text, n) == 0)
                slot[i] = (uint8_t)k;
    }
    return slot;
}

static void add_known_count(double *sum, uint64_t *time, double v, uint64_t ns)
{
    if (isnan(v))
        return;
    *sum += v;
    *time += ns;
}

void kernel_counting_add(struct kernel_counting *to, const struct trace *t, uint32_t dispatch,
                         uint32_t first, uint32_t n, const uint8_t *slot, uint64_t ns)
{
    struct gpu_work w;
    gpu_work_of(&w, t, dispatch);
    for (uint32_t i = first; i < first + n; i++) {
        uint8_t k = slot[t->counters[i].name];
        if (k == KERNEL_COUNTERS || isnan(t->counters[i].value))
            continue;
        to->counter[k] += t->counters[i].value;
        to->ncounter[k]++;
    }
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            add_known_count(&to->ops[u][i], &to->ops_ns[u][i], w.ops[u][i], ns);
    for (int l = 0; l < WORK_LEVELS; l++)
        add_known_count(&to->bytes[l], &to->bytes_ns[l], w.bytes[l], ns);
    if (to->dispatches++ == 0 || w.missing < to->missing)
        to->missing = w.missing;
}

void kernel_counting_merge(struct kernel_counting *to, const struct kernel_counting *from)
{
    if (from->dispatches == 0)
        return;
    to->missing = to->dispatches && to->missing < from->missing ? to->missing : from->missing;
    to->dispatches += from->dispatches;
    for (int k = 0; k < KERNEL_COUNTERS; k++) {
        to->counter[k] += from->counter[k];
        to->ncounter[k] += from->ncounter[k];
    }
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++) {
            to->ops[u][i] += from->ops[u][i];
            to->ops_ns[u][i] += from->ops_ns[u][i];
        }
    for (int l = 0; l < WORK_LEVELS; l++) {
        to->bytes[l] += from->bytes[l];
        to->bytes_ns[l] += from->bytes_ns[l];
    }
}

static double rate_per_second(double sum, uint64_t ns)
{
    return ns ? 1e9 * sum / (double)ns : NAN;
}

struct kernel_counts kernel_counts_of(const struct kernel_counting *from)
{
    static const struct kernel_counting nothing;
    struct kernel_counts c = {.dispatches = 0};
    const struct kernel_counting *k = from ? from : &nothing;
    c.dispatches = k->dispatches;
    c.missing = k->missing;
    for (int i = 0; i < KERNEL_COUNTERS; i++)
        c.counter[i] = k->ncounter[i] ? k->counter[i] / k->ncounter[i] : NAN;
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            c.ops_s[u][i] = rate_per_second(k->ops[u][i], k->ops_ns[u][i]);
    for (int l = 0; l < WORK_LEVELS; l++)
        c.bytes_s[l] = rate_per_second(k->bytes[l], k->bytes_ns[l]);
    return c;
}
