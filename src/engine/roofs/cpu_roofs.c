#include "engine/roofs/cpu_roofs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/value/text_file.h"

static const char *const levels[CPU_LEVELS] = {"DRAM", "L3", "L2", "L1"};
static const char *const types[CPU_TYPES] = {"FP32", "FP64"};
static const struct {
    const char *name;
    unsigned bits;
} widths[CPU_WIDTHS] = {{"scalar", 0}, {"128-bit", 128}, {"256-bit", 256}, {"512-bit", 512}};

const char *cpu_width_name(enum cpu_width w)
{
    return widths[w].name;
}

unsigned cpu_width_bits(enum cpu_width w)
{
    return widths[w].bits;
}

const char *cpu_level_name(enum cpu_level l)
{
    return levels[l];
}

/* Names that programs give their backends, as rooftop_isa_name() and the examples write them. */
enum cpu_width cpu_width_of(const char *backend)
{
    static const struct {
        const char *begins;
        enum cpu_width width;
    } known[] = {{"scalar", CPU_SCALAR}, {"sse", CPU_128}, {"neon", CPU_128},
                 {"avx512", CPU_512},    {"amx", CPU_512}, {"sve", CPU_512},
                 {"avx-512", CPU_512},   {"avx", CPU_256}, {"cpu", CPU_512},
                 {"host", CPU_512}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncasecmp(backend, known[i].begins, strlen(known[i].begins)) == 0)
            return known[i].width;
    return CPU_WIDTHS;
}

/* --- taking --- */

static void take_peak(struct cpu_peak *p, const struct host_roof *row, uint32_t cpus)
{
    double spread = isfinite(row->spread) ? row->spread : 0;
    if (row->threads == 1 && row->value > p->one) {
        p->one = row->value;
        p->one_spread = spread;
    }
    if (row->threads == cpus && row->value > p->all) {
        p->all = row->value;
        p->all_spread = spread;
    }
}

static void take_operations(struct cpu_roofs *out, const struct host_roof *row)
{
    for (int w = 0; w < CPU_WIDTHS; w++)
        for (int t = 0; t < CPU_TYPES; t++)
            if (row->width == widths[w].bits && strcmp(row->type, types[t]) == 0)
                take_peak(&out->flops[w][t], row, out->cpus);
}

/* Stores past the caches count as nothing here: they read no line before they write it, so that
 * memory gets twice as many bytes from them as from any loop that loads. */
static void take_bandwidth(struct cpu_roofs *out, const struct host_roof *row)
{
    for (int l = 0; l < CPU_LEVELS; l++)
        if (strcmp(row->level, levels[l]) == 0 && strcmp(row->name, "store past caches") != 0)
            take_peak(&out->bytes[l], row, out->cpus);
}

/* The lists while they grow. */
struct lists {
    struct cpu_unit unit[CPU_UNITS_MAX];
    struct cpu_load load[CPU_LOADS_MAX];
    uint32_t nunits, nloads;
};

static const char *name_loop_work(const char *loop)
{
    if (strstr(loop, "matrix"))
        return "matrix";
    return strstr(loop, "dot") ? "dot" : "FMA";
}

/* Keeps the best figure among loops that have the same data type, operation and vector width. */
static void take_unit(struct lists *l, struct arena *memory, const struct host_roof *row,
                      uint32_t cpus)
{
    char name[24];
    uint32_t i = 0;
    for (int t = 0; t < CPU_TYPES; t++)
        if (strcmp(row->type, types[t]) == 0)
            return;
    snprintf(name, sizeof name, "%s%s %s", strncmp(row->type, "FP", 2) == 0 ? "f" : "",
             row->type + (strncmp(row->type, "FP", 2) == 0 ? 2 : 0), name_loop_work(row->name));
    for (char *c = name; *c && *c != ' '; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    while (i < l->nunits && (strcmp(l->unit[i].name, name) != 0 || l->unit[i].width != row->width))
        i++;
    if (i == CPU_UNITS_MAX)
        return;
    if (i == l->nunits)
        l->unit[l->nunits++] =
            (struct cpu_unit){.name = arena_strdup(memory, name), .width = row->width};
    take_peak(&l->unit[i].peak, row, cpus);
}

static void take_load(struct lists *l, const struct host_roof *row)
{
    if (l->nloads < CPU_LOADS_MAX && strcmp(row->level, "DRAM") == 0)
        l->load[l->nloads++] = (struct cpu_load){row->reads, row->load, row->value,
                                                 isfinite(row->spread) ? row->spread : 0};
}

static int by_reads(const void *a, const void *b)
{
    const struct cpu_load *x = a, *y = b;
    if (x->reads != y->reads)
        return x->reads > y->reads ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void *copy_to_arena(struct arena *memory, const void *list, size_t n, size_t size)
{
    void *kept = n ? arena_alloc(memory, n * size) : NULL;
    if (n)
        memcpy(kept, list, n * size);
    return kept;
}

static void keep_lists(struct cpu_roofs *out, struct arena *memory, struct lists *l)
{
    qsort(l->load, l->nloads, sizeof *l->load, by_reads);
    out->units = copy_to_arena(memory, l->unit, l->nunits, sizeof *l->unit);
    out->loads = copy_to_arena(memory, l->load, l->nloads, sizeof *l->load);
    out->nunits = l->nunits;
    out->nloads = l->nloads;
}

struct cpu_roofs cpu_roofs_copy(struct arena *memory, const struct cpu_roofs *from)
{
    struct cpu_roofs own = *from;
    struct cpu_unit *units = copy_to_arena(memory, from->units, from->nunits, sizeof *units);
    for (uint32_t i = 0; i < from->nunits; i++)
        units[i].name = arena_strdup(memory, from->units[i].name);
    own.how = arena_strdup(memory, from->how);
    own.none = arena_strdup(memory, from->none);
    own.units = units;
    own.loads = copy_to_arena(memory, from->loads, from->nloads, sizeof *from->loads);
    return own;
}

void cpu_roofs_take(struct cpu_roofs *out, struct arena *memory, const struct host_roofs *from)
{
    struct lists lists = {.nunits = 0};
    *out = (struct cpu_roofs){.none = "", .cpus = from->cpus ? from->cpus : 1};
    for (size_t i = 0; i < from->n; i++) {
        const struct host_roof *row = &from->rows[i];
        if (row->refused[0] || row->nodes) /* near and far apart: no roof of a thread anywhere */
            continue;
        if (row->kind == HOST_ROOF_OPERATIONS) {
            take_operations(out, row);
            take_unit(&lists, memory, row, out->cpus);
        } else if (row->kind == HOST_ROOF_BANDWIDTH) {
            take_bandwidth(out, row);
        } else if (row->kind == HOST_ROOF_LOADED) {
            take_load(&lists, row);
        }
    }
    keep_lists(out, memory, &lists);
    out->how = arena_printf(memory, "measured %.10s by rooftop lab roofs%s", from->made,
                            from->quick ? " --quick" : "");
}

void cpu_roofs_load(struct cpu_roofs *out, struct arena *memory)
{
    struct host_roofs stored;
    struct error err = ERROR_INIT;
    int rc = host_roofs_load(&stored, &err);
    if (rc == 0)
        cpu_roofs_take(out, memory, &stored);
    else
        *out = (struct cpu_roofs){
            .how = "",
            .none = rc == -ENOENT && err.kind == ERROR_NONE
                        ? "this host's roofs were never measured: rooftop lab roofs does it"
                        : arena_printf(memory,
                                       "the stored roofs of this host do not serve: %s; rooftop "
                                       "lab roofs measures them anew",
                                       err.why)};
    host_roofs_free(&stored);
}

int cpu_roofs_read(struct cpu_roofs *out, struct arena *memory, const char *path, struct error *err)
{
    struct host_roofs from = {.n = 0};
    char *text = NULL;
    size_t n = 0;
    int rc = text_file_read(&text, &n, path, err);
    if (rc == 0)
        rc = host_roofs_parse(&from, text, n, path, err);
    if (rc == 0) {
        cpu_roofs_take(out, memory, &from);
        out->how = arena_printf(memory, "%s on %.60s", out->how, from.cpu);
    }
    host_roofs_free(&from);
    free(text);
    return rc;
}

bool cpu_roofs_recognise(const char *path)
{
    char begin[256];
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(begin, 1, sizeof begin - 1, f) : 0;
    if (f)
        fclose(f);
    begin[n] = '\0';
    return begin[strspn(begin, " \t\r\n")] == '{';
}

/* --- threads --- */

double cpu_peak_of(const struct cpu_peak *p, uint32_t threads, uint32_t cpus)
{
    if (threads >= cpus && p->all > 0)
        return p->all;
    double sum = p->one * threads;
    return p->all > 0 && sum > p->all ? p->all : sum;
}

double cpu_peak_spread(const struct cpu_peak *p, uint32_t threads)
{
    return threads == 1 || !(p->all > 0) ? p->one_spread : p->all_spread;
}

/* --- under load --- */

/* The share of reads that was measured and is nearest. */
static double nearest_reads(const struct cpu_roofs *r, double reads)
{
    double nearest = r->loads[0].reads;
    for (uint32_t i = 1; i < r->nloads; i++)
        if (fabs(r->loads[i].reads - reads) < fabs(nearest - reads))
            nearest = r->loads[i].reads;
    return nearest;
}

double cpu_load_latency(const struct cpu_roofs *r, double reads, double bytes)
{
    if (r->nloads == 0 || isnan(bytes))
        return NAN;
    double curve = nearest_reads(r, reads);
    const struct cpu_load *before = &r->loads[0]; /* without load all curves are the same */
    if (bytes <= before->bytes)
        return before->latency;
    for (uint32_t i = 1; i < r->nloads; i++) {
        const struct cpu_load *l = &r->loads[i];
        if (l->reads != curve)
            continue;
        if (bytes <= l->bytes) {
            double part = (bytes - before->bytes) / (l->bytes - before->bytes);
            return before->latency + part * (l->latency - before->latency);
        }
        before = l;
    }
    return NAN;
}
