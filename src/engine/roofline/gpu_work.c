#include "engine/roofline/gpu_work.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "engine/roofline/gpu_arch.h"
#include "engine/roofline/gpu_work_table.h"

enum { FORMULAS_MAX = 64, CACHE = 512, COUNTER_TEXT = 96 };

/* The sorted counters of all formulas, and the index of each term among them. Made once. */
static struct {
    const char *name[WORK_COUNTERS_MAX];
    uint32_t n, nformulas;
    uint8_t slot[FORMULAS_MAX][WORK_TERMS];
} all;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int counter_slot(const char *name)
{
    const char *const *at = bsearch(&name, all.name, all.n, sizeof *all.name, order_texts);
    return at ? (int)(at - all.name) : -1;
}

static void make_formulas(void)
{
    uint32_t n = 0;
    for (; work_formulas[all.nformulas].archs; all.nformulas++)
        for (int i = 0; i < WORK_TERMS && work_formulas[all.nformulas].terms[i].counter; i++)
            all.name[n++] = work_formulas[all.nformulas].terms[i].counter;
    qsort(all.name, n, sizeof *all.name, order_texts);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || strcmp(all.name[i], all.name[all.n - 1]) != 0)
            all.name[all.n++] = all.name[i];
    for (uint32_t f = 0; f < all.nformulas; f++)
        for (int i = 0; i < WORK_TERMS && work_formulas[f].terms[i].counter; i++)
            all.slot[f][i] = (uint8_t)counter_slot(work_formulas[f].terms[i].counter);
}

/* Finds a counter by any of its names: the profiler ("_sum") or the reader may have summed it over
 * instances, and it may count a whole SM or its parts. */
static int slot_of_counter(const char *name)
{
    char plain[COUNTER_TEXT];
    static const char part[] = "smsp__sass_";
    int slot = counter_slot(name);
    size_t n = strlen(name);
    if (slot >= 0 || n >= sizeof plain)
        return slot;
    if (strncmp(name, part, sizeof part - 1) == 0) {
        memcpy(plain, "sm", 2);
        memcpy(plain + 2, name + 4, n - 4 + 1);
        return counter_slot(plain);
    }
    if (n > 4 && strcmp(name + n - 4, "_sum") == 0) {
        memcpy(plain, name, n - 4);
        plain[n - 4] = '\0';
        return counter_slot(plain);
    }
    return -1;
}

/* A cache of the slots of names, for the last graph. */
static _Thread_local struct {
    uint64_t graph;
    uint32_t arch; /* a name of the architecture */
    uint64_t formulas;
    uint32_t name[CACHE];
    int16_t slot[CACHE];
} known;

static int cached_slot(const struct graph *g, uint32_t name)
{
    uint32_t at = name % CACHE;
    if (known.name[at] != name) {
        known.name[at] = name;
        known.slot[at] = (int16_t)slot_of_counter(graph_text(g, name));
    }
    return known.slot[at];
}

static uint64_t formulas_of(const char *arch)
{
    uint64_t set = 0;
    pthread_once(&once, make_formulas);
    for (uint32_t f = 0; f < all.nformulas; f++)
        set |= (uint64_t)gpu_is_arch(work_formulas[f].archs, arch) << f;
    return set;
}

static uint64_t formulas_of_dispatch(const struct trace *t, uint32_t dispatch)
{
    const struct trace_dispatch d_own = trace_dispatch_at(t, dispatch), *d = &d_own;
    uint32_t arch = d->agent < t->nagents ? t->agents[d->agent].name : GRAPH_NONE;
    if (known.graph != t->calls->serial) {
        memset(known.name, 0xff, sizeof known.name);
        known.graph = t->calls->serial;
        known.arch = GRAPH_NONE;
        known.formulas = 0;
    }
    if (known.arch != arch) {
        known.arch = arch;
        known.formulas = arch == GRAPH_NONE ? 0 : formulas_of(graph_text(t->calls, arch));
    }
    return known.formulas;
}

static double *find_work_number(struct gpu_work *w, const struct work_formula *f)
{
    return f->memory ? &w->bytes[f->level] : &w->ops[f->unit][f->type];
}

static bool has_counter_slot(const struct gpu_counters *set, unsigned slot)
{
    return set->have[slot / 64] >> slot % 64 & 1;
}

static void look_at_counters(const struct trace *t, uint32_t node, double *value,
                             struct gpu_counters *set)
{
    for (uint32_t i = trace_first_counter(t, node); i < t->ncounters && t->counters[i].node == node;
         i++) {
        int slot = cached_slot(t->calls, t->counters[i].name);
        if (slot < 0 || !isfinite(t->counters[i].value) || t->counters[i].value < 0)
            continue;
        value[slot] = t->counters[i].value;
        set->have[slot / 64] |= (uint64_t)1 << slot % 64;
    }
}

static void apply_work_formula(struct gpu_work *out, uint32_t f, const double *value,
                               const struct gpu_counters *set)
{
    const struct work_formula *row = &work_formulas[f];
    double sum = 0;
    for (int i = 0; i < WORK_TERMS && row->terms[i].counter; i++) {
        if (!has_counter_slot(set, all.slot[f][i]))
            return;
        sum += value[all.slot[f][i]] * row->terms[i].times;
    }
    if (!isfinite(sum) || sum < 0) /* counters of different passes may not fit */
        return;
    *find_work_number(out, row) = sum;
    if (row->memory && row->derived)
        out->derived |= (uint8_t)(1u << row->level);
}

static uint32_t list_missing_counters(uint64_t formulas, const struct gpu_work *w,
                                      const struct gpu_counters *set, const char **names,
                                      uint32_t max)
{
    struct gpu_counters told = {{0}};
    struct gpu_work done = *w;
    uint32_t n = 0;
    for (uint32_t f = 0; f < all.nformulas; f++) {
        const struct work_formula *row = &work_formulas[f];
        double *number = find_work_number(&done, row);
        if (!(formulas >> f & 1) || !isnan(*number) || row->derived || row->optional)
            continue;
        *number = 0; /* one complete formula is enough for a number */
        for (int i = 0; i < WORK_TERMS && row->terms[i].counter; i++) {
            unsigned slot = all.slot[f][i];
            if (has_counter_slot(set, slot) || has_counter_slot(&told, slot))
                continue;
            told.have[slot / 64] |= (uint64_t)1 << slot % 64;
            if (n < max)
                names[n] = all.name[slot];
            n++;
        }
    }
    return n;
}

void gpu_work_count(struct gpu_work *out, const struct trace *t, uint32_t dispatch,
                    struct gpu_counters *set)
{
    double value[WORK_COUNTERS_MAX];
    struct gpu_counters own = {{0}};
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            out->ops[u][i] = NAN;
    for (int l = 0; l < WORK_LEVELS; l++)
        out->bytes[l] = NAN;
    out->derived = 0;
    pthread_once(&once, make_formulas);
    uint64_t formulas = formulas_of_dispatch(t, dispatch);
    look_at_counters(t, trace_dispatch_at(t, dispatch).node, value, &own);
    for (uint32_t f = 0; f < all.nformulas; f++)
        if (formulas >> f & 1 && isnan(*find_work_number(out, &work_formulas[f])))
            apply_work_formula(out, f, value, &own);
    out->missing = list_missing_counters(formulas, out, &own, NULL, 0);
    for (size_t i = 0; i < sizeof own.have / sizeof *own.have; i++)
        set->have[i] |= own.have[i];
}

void gpu_work_of(struct gpu_work *out, const struct trace *t, uint32_t dispatch)
{
    struct gpu_counters set = {{0}};
    gpu_work_count(out, t, dispatch, &set);
}

uint32_t gpu_work_missing(const char *arch, const struct gpu_work *w,
                          const struct gpu_counters *set, const char **names, uint32_t max)
{
    return list_missing_counters(formulas_of(arch), w, set, names, max);
}

const char *work_unit_name(enum work_unit u)
{
    return u == UNIT_VALU ? "VALU" : "MFMA";
}

const char *work_type_name(enum work_type t)
{
    static const char *const names[] = {"f64", "f32", "f16", "bf16", "xf32", "f8", "f6f4", "i8"};
    return names[t];
}

const char *work_level_name(enum work_level l)
{
    static const char *const names[] = {"HBM", "L2", "L1", "LDS"};
    return names[l];
}
