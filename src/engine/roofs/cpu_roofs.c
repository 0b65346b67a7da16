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
    } known[] = {{"scalar", CPU_SCALAR}, {"sse", CPU_128}, {"neon", CPU_128}, {"avx512", CPU_512},
                 {"avx-512", CPU_512},   {"avx", CPU_256}, {"cpu", CPU_512},  {"host", CPU_512}};
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

void cpu_roofs_take(struct cpu_roofs *out, struct arena *memory, const struct host_roofs *from)
{
    *out = (struct cpu_roofs){.none = "", .cpus = from->cpus ? from->cpus : 1};
    for (size_t i = 0; i < from->n; i++) {
        const struct host_roof *row = &from->rows[i];
        if (row->refused[0])
            continue;
        if (row->kind == HOST_ROOF_OPERATIONS)
            take_operations(out, row);
        else if (row->kind == HOST_ROOF_BANDWIDTH)
            take_bandwidth(out, row);
    }
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
